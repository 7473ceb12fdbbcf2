import { Type } from 'typebox'
import { tagEndpoints } from '../../api/http/endpoint.ts'
import { readEndpoint } from '../../api/http/read-endpoints.ts'
import { computeRates, RATE_SETTINGS } from '../../api/rate-limits/rates.ts'
import { assert } from '../../platform/assert.ts'
import { mapValues } from '../../platform/map-values.ts'
import { ModeShape } from '../../platform/mode.ts'
import type { App } from '../../program/app.ts'
import { findMerchantsById } from './merchant.ts'

const AccountShape = Type.Object(
  {
    object: Type.Literal('account'),
    id: Type.String({ description: 'handle or public key' }),
    handle: Type.Union([Type.String(), Type.Null()]),
    public_key: Type.String({ description: 'starts with `pk_test_` or `pk_live_`, by mode' }),
    name: Type.String(),
    mode: ModeShape,
    scope: Type.Enum(['full', 'collections'], { $id: 'KeyScope' }),
    kyc_status: Type.Enum(['pending', 'verified', 'rejected'], { $id: 'KycStatus' }),
    verified: Type.Boolean(),
    webhook_configured: Type.Boolean(),
    active: Type.Boolean(),
    vending_enabled: Type.Boolean(),
    rate_limits: Type.Object(
      mapValues(RATE_SETTINGS, () => Type.Integer({ minimum: 0 })),
      {
        $id: 'RateLimits',
        description:
          'how many requests of each kind are accepted in any 60 seconds, by the limits of [the guide](/docs/limits); 0: any number',
      },
    ),
  },
  { $id: 'Account' },
)

export const merchantEndpoints = tagEndpoints('Account', [
  readEndpoint<App>({
    path: '/v1/me',
    name: 'getAccount',
    summary: 'Who this key belongs to',
    description: 'Its mode, what it may do, and the limits that count its requests.',
    shape: { description: 'the account behind the key', schema: AccountShape },
    async read(app, { caller }) {
      const find = findMerchantsById([caller.merchantId])
      const [merchant] = await app.db.query(find.statement, find.values)
      assert(merchant, 'a key belongs to a merchant')
      return {
        object: 'account',
        id: merchant.handle,
        handle: merchant.handle,
        public_key: caller.mode === 'test' ? merchant.publicKeyTest : merchant.publicKeyLive,
        name: merchant.name,
        mode: caller.mode,
        scope: caller.scope,
        kyc_status: merchant.kycStatus,
        verified: merchant.kycStatus === 'verified',
        webhook_configured: merchant.webhookUrl !== null,
        active: merchant.active,
        vending_enabled: merchant.vendingEnabled,
        rate_limits: computeRates(app.config, merchant.rateLimits),
      }
    },
  }),
])
