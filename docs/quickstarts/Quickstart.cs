using System;
using System.Linq;
using System.Net.Http;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Threading.Tasks;
using System.Xml;
using System.Xml.Linq;

static class Quickstart
{
    // Following a redirect would send the secret to another URL.
    static readonly HttpClient Client =
        new HttpClient(new HttpClientHandler { AllowAutoRedirect = false }) { Timeout = TimeSpan.FromSeconds(45) };
    static readonly int[] Retryable = { 408, 409, 424, 429 };

    static string Setting(string name) => Environment.GetEnvironmentVariable(name);

    static async Task<XElement> Call(HttpMethod method, string path, string body = null)
    {
        // One key per change, which its retries send again. You could use an order ID.
        var key = Guid.NewGuid().ToString();
        for (var attempt = 1; ; attempt++)
        {
            var wait = TimeSpan.FromSeconds(attempt);
            var request = new HttpRequestMessage(method, Setting("BASE_URL") + path);
            request.Headers.Add("X-AUTH-APIKEY", Setting("API_KEY"));
            request.Headers.Add("X-AUTH-APISECRET", Setting("API_SECRET"));
            if (method != HttpMethod.Get) request.Headers.Add("Idempotency-Key", key);
            if (body != null) request.Content = new StringContent(body, Encoding.UTF8, "application/json");
            try
            {
                using (var response = await Client.SendAsync(request))
                {
                    var content = await response.Content.ReadAsByteArrayAsync();
                    if (response.IsSuccessStatusCode) return Parse(content);
                    var status = (int)response.StatusCode;
                    if (attempt == 4 || !(status >= 500 || Retryable.Contains(status)))
                    {
                        Console.Error.WriteLine(Explain(content) ?? $"The service returned {status}.");
                        Environment.Exit(1);
                    }
                    wait = response.Headers.RetryAfter?.Delta ?? wait;
                }
            }
            catch (Exception unreachable) when (attempt < 4 && (unreachable is HttpRequestException || unreachable is TaskCanceledException))
            {
            }
            await Task.Delay(wait);
        }
    }

    /// <returns>null for the response of a gateway</returns>
    static string Explain(byte[] content)
    {
        try
        {
            var error = Parse(content).Element("error");
            return error?.Element("type") == null ? null :
                $"{error.Element("type").Value}: {error.Element("message").Value} (request ID {error.Element("request_id").Value})";
        }
        catch (Exception)
        {
            return null;
        }
    }

    /// <summary>Reads JSON with what every version of .NET has. You can use System.Text.Json instead.</summary>
    static XElement Parse(byte[] json) =>
        XElement.Load(JsonReaderWriterFactory.CreateJsonReader(json, XmlDictionaryReaderQuotas.Max));

    static void Main() => Run().GetAwaiter().GetResult();

    static async Task Run()
    {
        var payout = (await Call(HttpMethod.Get, "/api/schedule/v1/customers/payout")).Element("payout");
        Console.WriteLine($"Balance due: {payout.Element("amount_cents").Value} cents");

        var token = Setting("CARD_TOKEN") ?? "tok_visa";
        var added = await Call(HttpMethod.Post, "/api/schedule/v1/payment/cards", "{\"token\": \"" + token + "\"}");
        if (added.Element("status").Value != "true")
        {
            // The message is for the cardholder.
            Console.WriteLine($"Not added: {added.Element("code").Value}: {added.Element("message").Value}");
            return;
        }
        var card = added.Element("card");
        Console.WriteLine($"Added {card.Element("brand").Value} ending in {card.Element("last4").Value}");
        await Call(HttpMethod.Delete, "/api/schedule/v1/payment/cards/" + card.Element("uuid").Value);
        Console.WriteLine("Removed the card");
    }
}
