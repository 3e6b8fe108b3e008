require 'json'
require 'net/http'
require 'securerandom'

RETRYABLE = [408, 409, 424, 429].freeze

def call(method, path, body = nil)
  uri = URI(ENV.fetch('BASE_URL') + path)
  headers = { 'X-AUTH-APIKEY' => ENV.fetch('API_KEY'), 'X-AUTH-APISECRET' => ENV.fetch('API_SECRET') }
  headers['Content-Type'] = 'application/json' if body
  # One key per change, which its retries send again. You could use an order ID.
  headers['Idempotency-Key'] = SecureRandom.uuid unless method == :Get
  (1..4).each do |attempt|
    request = Net::HTTP.const_get(method).new(uri, headers)
    request.body = JSON.generate(body) if body
    wait = attempt
    begin
      response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https', read_timeout: 45) do |http|
        http.request(request)
      end
      return JSON.parse(response.body) if response.is_a?(Net::HTTPSuccess)

      status = response.code.to_i
      if attempt == 4 || !(status >= 500 || RETRYABLE.include?(status))
        error = JSON.parse(response.body)['error'] rescue nil
        abort "The service returned #{status}." unless error.is_a?(Hash)
        abort "#{error['type']}: #{error['message']} (request ID #{error['request_id']})"
      end
      wait = [response['Retry-After'].to_i, attempt].max
    rescue IOError, SystemCallError, SocketError, OpenSSL::SSL::SSLError, Timeout::Error, JSON::ParserError
      raise if attempt == 4
    end
    sleep wait
  end
end

payout = call(:Get, '/api/schedule/v1/customers/payout')['payout']
puts "Balance due: #{payout['amount_cents']} cents"

added = call(:Post, '/api/schedule/v1/payment/cards', { token: ENV.fetch('CARD_TOKEN', 'tok_visa') })
if added['status']
  card = added['card']
  puts "Added #{card['brand']} ending in #{card['last4']}"
  call(:Delete, "/api/schedule/v1/payment/cards/#{card['uuid']}")
  puts 'Removed the card'
else
  # The message is for the cardholder.
  puts "Not added: #{added['code']}: #{added['message']}"
end
