import type { Endpoint } from '../api/http/endpoint.ts'
import { withExpansions } from '../api/http/expand.ts'
import { merchantEndpoints } from '../merchants/account/routes.ts'
import { requestEndpoints } from '../merchants/request-log/routes.ts'
import { webhookAddressEndpoints } from '../merchants/webhooks/addresses/routes.ts'
import { webhookEndpoints } from '../merchants/webhooks/routes.ts'
import { eventEndpoints } from '../merchants/webhooks/stream/routes.ts'
import { chargeEndpoints } from '../payments/charges/routes.ts'
import { payoutEndpoints } from '../payments/payouts/routes.ts'
import { refundEndpoints } from '../payments/refunds/routes.ts'
import { scheduledPayoutEndpoints } from '../payments/scheduled-payouts/routes.ts'
import { subaccountEndpoints } from '../payments/subaccounts/routes.ts'
import { testingEndpoints } from '../payments/testing/routes.ts'
import { reportEndpoints } from '../reports/routes.ts'
import { paymentLinkEndpoints } from '../selling/payment-links/routes.ts'
import { callbackEndpoints } from '../selling/vending/callbacks/callback-routes.ts'
import { machineEndpoints } from '../selling/vending/machines/machine-routes.ts'
import { vendingEndpoints } from '../selling/vending/routes.ts'
import { findEventSample } from '../web/docs/event-samples.ts'
import type { App } from './app.ts'
import { EXPANSIONS } from './expansions.ts'

/** Every public endpoint of the product. */
export const ENDPOINTS: readonly Endpoint<App>[] = withExpansions<App>(
  [
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
    ...requestEndpoints,
    ...webhookEndpoints,
    ...webhookAddressEndpoints,
    ...eventEndpoints,
    ...testingEndpoints(findEventSample),
  ],
  EXPANSIONS,
)
