package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

type failure struct {
	Error struct {
		Type      string `json:"type"`
		Message   string `json:"message"`
		RequestID string `json:"request_id"`
	} `json:"error"`
}

var client = http.Client{
	Timeout: 45 * time.Second,
	// Following a redirect would send the secret to another URL.
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func isRetryable(status int) bool {
	switch status {
	case 408, 409, 424, 429:
		return true
	}
	return status >= 500
}

// call decodes the response into result.
func call(method, path string, body []byte, result any) error {
	// One key per change, which its retries send again. You could use an order ID.
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequest(method, os.Getenv("BASE_URL")+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("X-AUTH-APIKEY", os.Getenv("API_KEY"))
		request.Header.Set("X-AUTH-APISECRET", os.Getenv("API_SECRET"))
		if body != nil {
			request.Header.Set("Content-Type", "application/json")
		}
		if method != "GET" {
			request.Header.Set("Idempotency-Key", fmt.Sprintf("%x", key))
		}
		wait := attempt
		response, text, err := send(request)
		switch {
		case err != nil:
			if attempt == 4 {
				return err
			}
		case response.StatusCode < 300:
			return json.Unmarshal(text, result)
		case attempt == 4 || !isRetryable(response.StatusCode):
			var refused failure
			if json.Unmarshal(text, &refused) != nil || refused.Error.Type == "" {
				return fmt.Errorf("the service returned %d", response.StatusCode)
			}
			e := refused.Error
			return fmt.Errorf("%s: %s (request ID %s)", e.Type, e.Message, e.RequestID)
		default:
			if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
				wait = seconds
			}
		}
		time.Sleep(time.Duration(wait) * time.Second)
	}
}

func send(request *http.Request) (*http.Response, []byte, error) {
	response, err := client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response, text, err
}

func main() {
	log.SetFlags(0)
	var balance struct {
		Payout struct {
			AmountCents int64 `json:"amount_cents"`
		} `json:"payout"`
	}
	if err := call("GET", "/api/schedule/v1/customers/payout", nil, &balance); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Balance due: %d cents\n", balance.Payout.AmountCents)

	token := os.Getenv("CARD_TOKEN")
	if token == "" {
		token = "tok_visa"
	}
	body, _ := json.Marshal(map[string]string{"token": token})
	var added struct {
		Status        bool
		Code, Message string
		Card          struct{ UUID, Brand, Last4 string }
	}
	if err := call("POST", "/api/schedule/v1/payment/cards", body, &added); err != nil {
		log.Fatal(err)
	}
	if !added.Status {
		// The message is for the cardholder.
		fmt.Printf("Not added: %s: %s\n", added.Code, added.Message)
		return
	}
	fmt.Printf("Added %s ending in %s\n", added.Card.Brand, added.Card.Last4)
	var removed struct{ Status bool }
	if err := call("DELETE", "/api/schedule/v1/payment/cards/"+added.Card.UUID, nil, &removed); err != nil {
		log.Fatal(err)
	}
	fmt.Println("Removed the card")
}
