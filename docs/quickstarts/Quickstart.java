import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class Quickstart {
    static final HttpClient client = HttpClient.newHttpClient();
    static final Set<Integer> retryable = Set.of(408, 409, 424, 429);

    static String call(String method, String path, String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(System.getenv("BASE_URL") + path))
            .timeout(Duration.ofSeconds(45))
            .header("X-AUTH-APIKEY", System.getenv("API_KEY"))
            .header("X-AUTH-APISECRET", System.getenv("API_SECRET"))
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (body != null) request.header("Content-Type", "application/json");
        // One key per change, which its retries send again. You could use an order ID.
        if (!method.equals("GET")) request.header("Idempotency-Key", UUID.randomUUID().toString());
        for (int attempt = 1; ; attempt++) {
            long seconds = attempt;
            try {
                HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
                int status = response.statusCode();
                if (status < 300) return response.body();
                if (attempt == 4 || !(status >= 500 || retryable.contains(status))) {
                    String error = response.body();
                    System.err.println(value(error, "request_id") == null
                        ? "The service returned " + status + "."
                        : value(error, "type") + ": " + value(error, "message")
                            + " (request ID " + value(error, "request_id") + ")");
                    System.exit(1);
                }
                String retryAfter = response.headers().firstValue("Retry-After").orElse("");
                if (retryAfter.matches("\\d+")) seconds = Long.parseLong(retryAfter);
            } catch (IOException unreachable) {
                if (attempt == 4) throw unreachable;
            }
            Thread.sleep(seconds * 1000);
        }
    }

    /** In your program, use a JSON library such as Jackson instead. */
    static String value(String json, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\":(?:\"([^\"]*)\"|([^,}]*))").matcher(json);
        if (!matcher.find()) return null;
        return matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
    }

    public static void main(String[] args) throws Exception {
        String payout = call("GET", "/api/schedule/v1/customers/payout", null);
        System.out.println("Balance due: " + value(payout, "amount_cents") + " cents");

        String token = System.getenv().getOrDefault("CARD_TOKEN", "tok_visa");
        String added = call("POST", "/api/schedule/v1/payment/cards", "{\"token\": \"" + token + "\"}");
        if (!value(added, "status").equals("true")) {
            // The message is for the cardholder.
            System.out.println("Not added: " + value(added, "code") + ": " + value(added, "message"));
            return;
        }
        System.out.println("Added " + value(added, "brand") + " ending in " + value(added, "last4"));
        call("DELETE", "/api/schedule/v1/payment/cards/" + value(added, "uuid"), null);
        System.out.println("Removed the card");
    }
}
