import { setKeySigners } from '../../src/merchants/account/key-signers.ts'
import { listKeys } from '../../src/merchants/account/list-keys.ts'
import { getMerchantNamed } from '../../src/merchants/account/set-merchant.ts'
import { owner } from '../helpers/service/actors.ts'
import { newSigningPair } from '../helpers/service/sign-request.ts'
import type { TestService } from '../helpers/service/test-service.ts'

/** A shop whose test key takes signed requests only, and the private key that signs them. */
export async function signingShop(service: TestService): Promise<{ apiKey: string; signingKey: string }> {
  const merchant = await service.merchant()
  const { id: merchantId, tag } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  const key = (await listKeys(service.app, { id: merchantId })).find(({ kind }) => kind === 'test')
  const pair = newSigningPair()
  const who = owner({ merchantId, tag, cell: 'cell_0', mode: 'test' })
  await setKeySigners(service.app, who, { holder: { id: merchantId }, id: key?.id ?? '', text: pair.pem })
  const signingKey = String(pair.privateKey.export({ format: 'pem', type: 'pkcs8' }))
  return { apiKey: merchant.keys.test, signingKey }
}
