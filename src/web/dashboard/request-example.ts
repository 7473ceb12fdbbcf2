import type { DashboardVisit } from './visit.ts'

type RequestExample = {
  path: string
  body: object
  /** Whether the endpoint requires an Idempotency-Key. */
  withKey: boolean
}

/** Formats the command that sends this body to the API, to be pasted into a terminal. */
export function formatRequestExample({ app, mode }: DashboardVisit, { path, body, withKey }: RequestExample): string {
  return [
    `curl -s ${app.baseUrl}${path} \\`,
    '  -H "Authorization: Bearer $KEY" \\',
    `  -H "X-Timestamp: $(date +%s)"${withKey ? ' -H "Idempotency-Key: $(uuidgen)"' : ''} \\`,
    `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
    `# KEY: sk_${mode}_...`,
  ].join('\n')
}

/** Formats the command that makes a first test charge, to be pasted into a terminal. */
export const formatFirstRequest = (baseUrl: string, key: string): string =>
  [
    `curl -s ${baseUrl}/v1/charges \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    '  -H "X-Timestamp: $(date +%s)" -H "Idempotency-Key: $(date +%s%N)" \\',
    `  -d '{"amount":5000,"channel":"op1_momo","customer":{"phone":"0700000000"},"reference":"order-1"}'`,
  ].join('\n')
