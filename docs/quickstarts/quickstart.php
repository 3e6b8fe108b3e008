<?php
// Needs PHP 8 with the curl extension.

function call(string $method, string $path, ?array $body = null): array
{
    $headers = ['X-AUTH-APIKEY: ' . getenv('API_KEY'), 'X-AUTH-APISECRET: ' . getenv('API_SECRET')];
    if ($body !== null) $headers[] = 'Content-Type: application/json';
    // One key per change, which its retries send again. You could use an order ID.
    if ($method !== 'GET') $headers[] = 'Idempotency-Key: ' . bin2hex(random_bytes(16));

    for ($attempt = 1; ; $attempt++) {
        $wait = $attempt;
        $request = curl_init(getenv('BASE_URL') . $path);
        curl_setopt_array($request, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 45,
            CURLOPT_HEADERFUNCTION => function ($request, string $line) use (&$wait) {
                if (preg_match('/^retry-after:\s*(\d+)/i', $line, $match)) $wait = (int) $match[1];
                return strlen($line);
            },
        ]);
        if ($body !== null) curl_setopt($request, CURLOPT_POSTFIELDS, json_encode($body));
        $text = curl_exec($request);
        $status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);
        if ($text !== false && $status >= 200 && $status < 300) return json_decode($text, true);

        $isRetryable = $text === false || $status >= 500 || in_array($status, [408, 409, 424, 429]);
        if ($attempt === 4 || !$isRetryable) {
            $error = json_decode($text ?: '', true)['error'] ?? null;
            fwrite(STDERR, isset($error['type'])
                ? "{$error['type']}: {$error['message']} (request ID {$error['request_id']})\n"
                : (curl_error($request) ?: "The service returned $status.") . "\n");
            exit(1);
        }
        sleep($wait);
    }
}

$payout = call('GET', '/api/schedule/v1/customers/payout')['payout'];
echo "Balance due: {$payout['amount_cents']} cents\n";

$added = call('POST', '/api/schedule/v1/payment/cards', ['token' => getenv('CARD_TOKEN') ?: 'tok_visa']);
if ($added['status']) {
    $card = $added['card'];
    echo "Added {$card['brand']} ending in {$card['last4']}\n";
    call('DELETE', "/api/schedule/v1/payment/cards/{$card['uuid']}");
    echo "Removed the card\n";
} else {
    // The message is for the cardholder.
    echo "Not added: {$added['code']}: {$added['message']}\n";
}
