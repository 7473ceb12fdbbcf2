import { randomUUID } from 'node:crypto'
import { setKeySigners } from '../../../src/merchants/account/key-signers.ts'
import { listKeys } from '../../../src/merchants/account/list-keys.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { owner } from '../../helpers/service/actors.ts'
import { newSigningPair, signRequest } from '../../helpers/service/sign-request.ts'
import { CHARGE, type TestService } from '../../helpers/service/test-service.ts'

type Signing = Partial<Parameters<typeof signRequest>[1]>
/** A request that is signed, and what is changed of it on its way. */
export type Sending = {
  method?: 'GET' | 'POST'
  path?: string
  headers?: Record<string, string>
  body?: string
  signing?: Signing
  change?(headers: Record<string, string>): Record<string, string | undefined>
  sent?: { path?: string; body?: string }
  at?: TestService
  key?: string
}

/** A shop with the key pair of its server. */
export async function signingShop(service: TestService) {
  const merchant = await service.merchant()
  const { id: merchantId, tag } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  const who = owner({ merchantId, tag, cell: 'cell_0', mode: 'test' })
  const keys = () => listKeys(service.app, { id: merchantId })
  const keyId = (await keys()).find(({ kind }) => kind === 'test')?.id ?? ''
  const pair = newSigningPair()
  const bind = (text: string, by: Parameters<typeof setKeySigners>[1] = who, id = keyId) =>
    setKeySigners(service.app, by, { holder: { id: merchantId }, id, text })
  /** Signs a request, changes what is named of it on the way, and sends it. */
  async function send(sending: Sending = {}) {
    const {
      method = 'GET',
      path = '/v1/me',
      body,
      signing = {},
      change = (it) => it,
      sent = {},
      at = service,
    } = sending
    const isPost = method === 'POST'
    const own: Record<string, string> = isPost
      ? { 'x-timestamp': String(Math.floor(service.clock.nowMs() / 1000)), 'idempotency-key': randomUUID() }
      : {}
    const headers = await signRequest(
      {
        method,
        url: `${at.url}${path}`,
        headers: { ...own, ...sending.headers },
        ...(body === undefined ? {} : { body }),
      },
      { privateKey: pair.privateKey, created: service.clock.now(), ...signing },
    )
    const client = at.client(sending.key ?? merchant.keys.test)
    const changed = change(headers)
    if (!isPost) return client.get(sent.path ?? path, changed as Record<string, string>)
    return client.post(sent.path ?? path, sent.body ?? body, changed)
  }
  const pay = (more: Sending = {}) =>
    send({ method: 'POST', path: '/v1/charges', body: JSON.stringify(CHARGE), ...more })
  return { merchant, merchantId, who, keys, keyId, pair, bind, send, pay }
}
