/** Formats the command that makes a first test charge, to be pasted into a terminal. */
export const formatFirstRequest = (baseUrl: string, key: string): string =>
  [
    `curl -s ${baseUrl}/v1/charges \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    '  -H "X-Timestamp: $(date +%s)" -H "Idempotency-Key: $(date +%s%N)" \\',
    `  -d '{"amount":5000,"channel":"op1_momo","customer":{"phone":"0700000000"},"reference":"order-1"}'`,
  ].join('\n')
