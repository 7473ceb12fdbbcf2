import type { Snippet } from './snippets.ts'

/** A fresh business for a run of tests, and its first act, with its own key. */
export const buildAccountSnippets = ({ baseUrl, key }: { baseUrl: string; key: string }): Snippet[] => [
  {
    language: 'curl',
    text: `made=$(curl -s ${baseUrl}/v1/test/accounts \\
  -H "Authorization: Bearer ${key}" \\
  -H "X-Timestamp: $(date +%s)" \\
  -H "Idempotency-Key: ci-run-4711" \\
  -H "Content-Type: application/json" \\
  -d '{"name":"CI run 4711"}')
key=$(echo "$made" | sed 's/.*"full":"\\([^"]*\\)".*/\\1/')
curl -s ${baseUrl}/v1/test/funds \\
  -H "Authorization: Bearer $key" \\
  -H "X-Timestamp: $(date +%s)" \\
  -H "Content-Type: application/json" \\
  -d '{"amount":100000}'`,
  },
  {
    language: 'js',
    text: `async function post(path, key, body, more = {}) {
  const answer = await fetch('${baseUrl}' + path, {
    method: 'POST',
    headers: {
      Authorization: 'Bearer ' + key,
      'X-Timestamp': String(Math.floor(Date.now() / 1000)),
      'Content-Type': 'application/json',
      ...more,
    },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}
const account = await post('/v1/test/accounts', '${key}', { name: 'CI run 4711' }, { 'Idempotency-Key': 'ci-run-4711' })
console.log(await post('/v1/test/funds', account.keys.full, { amount: 100000 }))`,
  },
  {
    language: 'python',
    text: `import json, time, urllib.request

def post(path, key, body, **more):
    headers = {
        "Authorization": "Bearer " + key,
        "X-Timestamp": str(int(time.time())),
        "Content-Type": "application/json",
        **more,
    }
    request = urllib.request.Request("${baseUrl}" + path, json.dumps(body).encode(), headers, method="POST")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)

account = post("/v1/test/accounts", "${key}", {"name": "CI run 4711"}, **{"Idempotency-Key": "ci-run-4711"})
print(post("/v1/test/funds", account["keys"]["full"], {"amount": 100000}))`,
  },
  {
    language: 'php',
    text: `<?php
function post($path, $key, $body, $more = []) {
    $curl = curl_init('${baseUrl}' . $path);
    curl_setopt_array($curl, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HTTPHEADER => [
            'Authorization: Bearer ' . $key,
            'X-Timestamp: ' . time(),
            'Content-Type: application/json',
            ...$more,
        ],
        CURLOPT_POSTFIELDS => json_encode($body),
    ]);
    return json_decode(curl_exec($curl), true);
}
$account = post('/v1/test/accounts', '${key}', ['name' => 'CI run 4711'], ['Idempotency-Key: ci-run-4711']);
echo json_encode(post('/v1/test/funds', $account['keys']['full'], ['amount' => 100000]));`,
  },
]
