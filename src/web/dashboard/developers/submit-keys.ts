import { mayDo } from '../../../api/access/allow.ts'
import { createKey, revokeKey, rotateKey } from '../../../merchants/account/api-keys.ts'
import { setKeyAddresses } from '../../../merchants/account/key-addresses.ts'
import { setKeySigners } from '../../../merchants/account/key-signers.ts'
import { revealKey } from '../../../merchants/account/reveal-secrets.ts'
import { setKeyLimit } from '../../../merchants/account/set-key-limit.ts'
import { judgeLiveKey } from '../../../payments/payouts/prepared/judge-live-key.ts'
import type { ApiKeyKind } from '../../../platform/text/api-key-format.ts'
import { parseShillings } from '../../../platform/text/shillings.ts'
import { FieldFault, type FormValues } from '../../parts/forms/form-spec.ts'
import { redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { DEVELOPERS } from '../texts/developers.ts'
import type { DashboardVisit } from '../visit.ts'
import { buildKeyKindChoices, getVisitedKey } from './key-forms.ts'
import { renderSecretPage } from './secret-page.tsx'

const { secret, key: texts, create } = DEVELOPERS

/** Refuses a full live key while payouts need a second person: its holder could pay alone. The operation refuses people who may hold none. */
async function judgeKeyKind({ app, caller }: DashboardVisit, kind: ApiKeyKind): Promise<void> {
  if (kind === 'live' && mayDo(caller, 'key.full')) await judgeLiveKey(app, caller)
}

async function createAndShowKey(
  visit: DashboardVisit,
  { kind, name }: { kind: ApiKeyKind; name: string },
): Promise<SurfaceReply> {
  await judgeKeyKind(visit, kind)
  const { key } = await createKey(visit.app, visit.caller, {
    ...{ holder: visit.merchant, kind, name: name === '' ? null : name },
    commandKey: visit.once?.key,
  })
  return showSecretOfKey(visit, { title: secret.madeTitle, key, message: secret.made })
}

export function submitNewKey(visit: DashboardVisit, { kind = '', name = '' }: FormValues): Promise<SurfaceReply> {
  const choice = buildKeyKindChoices(visit).find(({ value }) => value === kind)
  if (!choice) throw new FieldFault('kind', create.wrongKind)
  return createAndShowKey(visit, { kind: choice.value, name })
}

const showSecretOfKey = (
  visit: DashboardVisit,
  { title, key, message }: { title: string; key: string; message: string },
) =>
  renderSecretPage(
    { title, label: secret.label, secret: key, back: { href: visit.to('/developers'), name: secret.back } },
    message,
  )

/** Makes the second key of a change, of the kind of the first. */
export async function submitSecondKey(visit: DashboardVisit, { name = '' }: FormValues): Promise<SurfaceReply> {
  const { key } = await getVisitedKey(visit)
  return createAndShowKey(visit, { kind: key.kind, name })
}

export async function submitRevealKey(visit: DashboardVisit): Promise<SurfaceReply> {
  const { key } = await getVisitedKey(visit)
  await judgeKeyKind(visit, key.kind)
  const revealed = await revealKey(visit.app, visit.caller, { merchantId: visit.merchant.id, id: key.id })
  return showSecretOfKey(visit, { title: secret.revealTitle, key: revealed.key, message: secret.revealed })
}

export async function submitRevokeKey(visit: DashboardVisit): Promise<SurfaceReply> {
  const { key } = await getVisitedKey(visit)
  await revokeKey(visit.app, visit.caller, { holder: visit.merchant, id: key.id })
  return redirectDone(visit.to('/developers'), texts.revoke.done(key.last4))
}

/** Says from which addresses the key may be used. */
export async function submitKeyAddresses(visit: DashboardVisit, { addresses = '' }: FormValues): Promise<SurfaceReply> {
  const { key } = await getVisitedKey(visit)
  const entries = addresses.split(/[\s,]+/).filter((entry) => entry !== '')
  await setKeyAddresses(visit.app, visit.caller, { holder: visit.merchant, id: key.id, addresses: entries })
  return redirectDone(visit.to(`/developers/keys/${key.id}`), texts.addresses.done)
}

/** Says whose signature each request with the key needs. */
export async function submitKeySigners(visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> {
  const { key } = await getVisitedKey(visit)
  const text = values.public_keys ?? ''
  await setKeySigners(visit.app, visit.caller, { holder: visit.merchant, id: key.id, text })
  return redirectDone(visit.to(`/developers/keys/${key.id}`), texts.signers.done)
}

/** Says how much the key may send in a day. */
export async function submitKeyLimit(visit: DashboardVisit, { limit = '' }: FormValues): Promise<SurfaceReply> {
  const { key } = await getVisitedKey(visit)
  const most = limit === '' ? null : parseShillings(limit)
  await setKeyLimit(visit.app, visit.caller, { holder: visit.merchant, id: key.id, limit: most })
  return redirectDone(visit.to(`/developers/keys/${key.id}`), texts.limit.done)
}

/** Revokes all keys of the kind of this one at once and makes a new one. */
export async function submitReplaceKeys(visit: DashboardVisit): Promise<SurfaceReply> {
  const { key } = await getVisitedKey(visit)
  await judgeKeyKind(visit, key.kind)
  const rotation = { holder: visit.merchant, kind: key.kind, commandKey: visit.once?.key }
  const newKey = await rotateKey(visit.app, visit.caller, rotation)
  return showSecretOfKey(visit, { title: secret.madeTitle, key: newKey, message: secret.made })
}
