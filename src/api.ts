import type { App } from './app.ts'
import { chargeEndpoints } from './charges/routes.ts'
import type { Endpoint } from './http/endpoint.ts'
import { merchantEndpoints } from './merchants/routes.ts'
import { paymentLinkEndpoints } from './payment-links/routes.ts'
import { payoutEndpoints } from './payouts/routes.ts'
import { refundEndpoints } from './refunds/routes.ts'
import { reportEndpoints } from './reports/routes.ts'
import { scheduledPayoutEndpoints } from './scheduled-payouts/routes.ts'
import { subaccountEndpoints } from './subaccounts/routes.ts'
import { callbackEndpoints } from './vending/callbacks/callback-routes.ts'
import { machineEndpoints } from './vending/machines/machine-routes.ts'
import { vendingEndpoints } from './vending/routes.ts'
import { webhookEndpoints } from './webhooks/routes.ts'

/** Every public endpoint of the product. */
export const ENDPOINTS: readonly Endpoint<App>[] = [
  ...chargeEndpoints,
  ...refundEndpoints,
  ...payoutEndpoints,
  ...scheduledPayoutEndpoints,
  ...subaccountEndpoints,
  ...paymentLinkEndpoints,
  ...vendingEndpoints,
  ...callbackEndpoints,
  ...machineEndpoints,
  ...reportEndpoints,
  ...merchantEndpoints,
  ...webhookEndpoints,
]
