import json, os, sys, time, urllib.error, urllib.request, uuid

RETRYABLE = {408, 409, 424, 429}


def call(method, path, body=None):
    headers = {"X-AUTH-APIKEY": os.environ["API_KEY"], "X-AUTH-APISECRET": os.environ["API_SECRET"]}
    if body:
        headers["Content-Type"] = "application/json"
    if method != "GET":
        # One key for each change, which its retries send again. Yours could be the ID of an order.
        headers["Idempotency-Key"] = str(uuid.uuid4())
    data = json.dumps(body).encode() if body else None
    for attempt in range(1, 5):
        request = urllib.request.Request(os.environ["BASE_URL"] + path, data, headers, method=method)
        retry_after = None
        try:
            with urllib.request.urlopen(request, timeout=45) as response:
                return json.load(response)
        except urllib.error.HTTPError as refused:
            if attempt == 4 or (refused.code not in RETRYABLE and refused.code < 500):
                error = json.load(refused)["error"]
                sys.exit(f"{error['type']}: {error['message']} (request ID {error['request_id']})")
            retry_after = refused.headers["Retry-After"]
        except OSError:
            if attempt == 4:
                raise
        time.sleep(int(retry_after or attempt))


payout = call("GET", "/api/schedule/v1/customers/payout")["payout"]
print(f"Balance due: {payout['amount_cents']} cents")

added = call("POST", "/api/schedule/v1/payment/cards", {"token": os.environ.get("CARD_TOKEN", "tok_visa")})
if added["status"]:
    card = added["card"]
    print(f"Added {card['brand']} ending in {card['last4']}")
    call("DELETE", f"/api/schedule/v1/payment/cards/{card['uuid']}")
    print("Removed the card")
else:
    # The message is for the cardholder.
    print(f"Not added: {added['code']}: {added['message']}")
