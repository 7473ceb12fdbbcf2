import type { Credentials, Op1Installation } from './installation.ts'

// The operator's firewall refuses some user agents, so this one never changes.
const USER_AGENT = 'gateway-op1/1.0'

/** Makes the headers of every call, token calls included. */
export const commonHeaders = (
  { targetEnvironment }: Pick<Op1Installation, 'targetEnvironment'>,
  { subscriptionKey }: Pick<Credentials, 'subscriptionKey'>,
): Record<string, string> => ({
  'ocp-apim-subscription-key': subscriptionKey,
  'x-target-environment': targetEnvironment,
  'user-agent': USER_AGENT,
})
