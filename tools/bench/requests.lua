-- For wrk: sends the requests of a file in turns, a line each: the path and the headers, separated by tabs.
-- Arguments: the file, and the status of a refusal to count if refusals are expected. Prints a line of JSON at the end.
local requests, position = {}, 0
local threads = {}
matching = 0

function setup(thread)
  table.insert(threads, thread)
end

function init(arguments)
  for line in io.lines(arguments[1]) do
    local path, headers
    for part in line:gmatch('[^\t]+') do
      if path then
        local name, value = part:match('^([^:]+): (.*)$')
        headers[name] = value
      else
        path, headers = part, {}
      end
    end
    table.insert(requests, wrk.format('GET', path, headers))
  end
  local expected = tonumber(arguments[2])
  if expected then
    response = function(status)
      if status == expected then matching = matching + 1 end
    end
  end
end

function request()
  position = position % #requests + 1
  return requests[position]
end

function done(summary, latency)
  local refusals = 0
  for _, thread in ipairs(threads) do refusals = refusals + thread:get('matching') end
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"elapsedUs":%d,"refusals":%d,"notOk":%d,"lost":%d,"p50Us":%d,"p99Us":%d}\n',
    summary.requests, summary.duration, refusals, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)
  ))
end
