import type { App } from './app.ts'
import { chargeEndpoints } from './charges/routes.ts'
import { merchantEndpoints } from './merchants/routes.ts'
import type { Endpoint } from './platform/http/endpoint.ts'
import { reportEndpoints } from './reports/routes.ts'
import { webhookEndpoints } from './webhooks/routes.ts'

/** Every public endpoint of the product. */
export const ENDPOINTS: readonly Endpoint<App>[] = [
  ...chargeEndpoints,
  ...reportEndpoints,
  ...merchantEndpoints,
  ...webhookEndpoints,
]
