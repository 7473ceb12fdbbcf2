import { sealedColumn } from '../platform/rewrap.ts'
import type { Binding } from '../platform/secrets.ts'

/** What the secret of an authenticator app is bound to. */
export const factorBinding = (factorId: string): Binding => ({
  merchantId: null,
  purpose: factorId,
  column: 'factors.sealed',
})

/** Secrets of authenticator apps. Passkeys have none. */
export const SEALED_FACTORS = sealedColumn({
  table: 'factors',
  column: 'sealed',
  part: 't.id',
  owned: false,
  bindingOf: ({ part }) => factorBinding(part),
})
