#!/bin/sh
# Needs curl 7.84 or later, and jq.
set -eu
response=$(mktemp)
trap 'rm -f "$response"' EXIT

# Usage: call PATH [CURL OPTIONS]. Retries send the same headers, and therefore the same Idempotency-Key.
call() {
  path=$1
  shift
  for attempt in 1 2 3 4; do
    result=$(curl -sS --max-time 45 -o "$response" -w '%{http_code} %header{retry-after}' "$BASE_URL$path" \
      -H "X-AUTH-APIKEY: $API_KEY" -H "X-AUTH-APISECRET: $API_SECRET" "$@") || result='000 '
    status=${result%% *}
    case $status in
      2??) return ;;
      000 | 408 | 409 | 424 | 429 | 5??) [ "$attempt" = 4 ] && break ;;
      *) break ;;
    esac
    wait=${result#* }
    case $wait in '' | *[!0-9]*) wait=$attempt ;; esac
    sleep "$wait"
  done
  # curl has printed why there is no response.
  [ "$status" = 000 ] && exit 1
  error=$(jq -r '.error | select(.type) | "\(.type): \(.message) (request ID \(.request_id))"' "$response" 2>/dev/null) || true
  echo "${error:-The service returned $status.}" >&2
  exit 1
}

call /api/schedule/v1/customers/payout
echo "Balance due: $(jq -r .payout.amount_cents "$response") cents"

# One key per change. You could use an order ID.
key=$(od -An -N8 -tx8 /dev/urandom)
call /api/schedule/v1/payment/cards -H "Idempotency-Key: $key" \
  -H 'Content-Type: application/json' -d "{\"token\": \"${CARD_TOKEN:-tok_visa}\"}"
if [ "$(jq -r .status "$response")" != true ]; then
  # The message is for the cardholder.
  echo "Not added: $(jq -r '"\(.code): \(.message)"' "$response")"
  exit
fi
echo "Added $(jq -r '"\(.card.brand) ending in \(.card.last4)"' "$response")"

uuid=$(jq -r .card.uuid "$response")
call "/api/schedule/v1/payment/cards/$uuid" -X DELETE -H "Idempotency-Key: remove-$uuid"
echo 'Removed the card'
