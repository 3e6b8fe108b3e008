import http.client, json, os, sys, time, urllib.error, urllib.request, uuid

RETRYABLE = {408, 409, 424, 429}


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None  # Following a redirect would send the secret to another URL.


opener = urllib.request.build_opener(NoRedirect)


def call(method, path, body=None):
    headers = {"X-AUTH-APIKEY": os.environ["API_KEY"], "X-AUTH-APISECRET": os.environ["API_SECRET"]}
    if body:
        headers["Content-Type"] = "application/json"
    if method != "GET":
        # One key per change, which its retries send again. You could use an order ID.
        headers["Idempotency-Key"] = str(uuid.uuid4())
    data = json.dumps(body).encode() if body else None
    for attempt in range(1, 5):
        request = urllib.request.Request(os.environ["BASE_URL"] + path, data, headers, method=method)
        wait = attempt
        try:
            with opener.open(request, timeout=45) as response:
                return json.load(response)
        except urllib.error.HTTPError as refused:
            if attempt == 4 or (refused.code not in RETRYABLE and refused.code < 500):
                sys.exit(explain(refused))
            retry_after = refused.headers.get("Retry-After", "")
            if retry_after.isdecimal():
                wait = int(retry_after)
        except (OSError, http.client.HTTPException):
            if attempt == 4:
                raise
        time.sleep(wait)


def explain(refused):
    try:
        error = json.load(refused)["error"]
        return f"{error['type']}: {error['message']} (request ID {error['request_id']})"
    except (ValueError, TypeError, KeyError):  # A gateway's response.
        return f"The service returned {refused.code}."


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
