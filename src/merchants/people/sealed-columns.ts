import { defineSealedColumn } from '../../platform/rewrap.ts'
import type { SecretBinding } from '../../platform/secrets.ts'

/** Returns the binding under which the secret of an authenticator app is sealed. */
export const factorBinding = (factorId: string): SecretBinding => ({
  merchantId: null,
  purpose: factorId,
  column: 'factors.sealed',
})

/** Returns the binding under which the secret of a link's authenticator is sealed. */
export const linkBinding = (linkId: string): SecretBinding => ({
  merchantId: null,
  purpose: linkId,
  column: 'one_time_links.sealed',
})

/** Secrets of authenticators that the pages of unused links show. */
export const SEALED_LINKS = defineSealedColumn({
  table: 'one_time_links',
  column: 'sealed',
  part: 't.id',
  owned: false,
  bindingOf: ({ part }) => linkBinding(part),
})

/** Secrets of authenticator apps. Passkeys have none. */
export const SEALED_FACTORS = defineSealedColumn({
  table: 'factors',
  column: 'sealed',
  part: 't.id',
  owned: false,
  bindingOf: ({ part }) => factorBinding(part),
})
