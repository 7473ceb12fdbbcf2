import { mayDo } from '../../actors/allow.ts'
import { createKey, revokeKey, rotateKey } from '../../merchants/api-keys.ts'
import { revealKey } from '../../merchants/reveal-secrets.ts'
import { FieldFault, type Values } from '../../pages/form-spec.ts'
import { doneTo, type Shown } from '../../pages/shown.ts'
import { judgeLiveKey } from '../../payouts/prepared/judge-live-key.ts'
import type { KeyKind } from '../../platform/api-key-format.ts'
import { DEVELOPERS } from '../texts/developers.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { keyIn, kindsOf, NEW_KEY, REPLACE_KEYS, REVEAL_KEY, REVOKE_KEY, SECOND_KEY } from './key-forms.ts'
import { showKey } from './key-page.tsx'
import { showKeys } from './keys-page.tsx'
import { secretPage } from './secret-page.tsx'

const { secret, key: texts, create } = DEVELOPERS

/** Whoever has a full live key may pay alone; who may have none is refused by the operation. */
async function judgeKind({ app, caller }: DashboardVisit, kind: KeyKind): Promise<void> {
  if (kind === 'live' && mayDo(caller, 'key.full')) await judgeLiveKey(app, caller)
}

async function makeKey(
  visit: DashboardVisit,
  { kind, name }: { kind: KeyKind; name: string },
): Promise<Shown> {
  await judgeKind(visit, kind)
  const { key } = await createKey(visit.app, visit.caller, {
    ...{ holder: visit.merchant, kind, name: name === '' ? null : name },
    commandKey: visit.once?.key,
  })
  return shownKey(visit, { title: secret.madeTitle, key, says: secret.made })
}

function makeOfKind(visit: DashboardVisit, { kind = '', name = '' }: Values): Promise<Shown> {
  const known = kindsOf(visit).find(({ value }) => value === kind)
  if (!known) throw new FieldFault('kind', create.wrongKind)
  return makeKey(visit, { kind: known.value, name })
}

const shownKey = (
  visit: DashboardVisit,
  { title, key, says }: { title: string; key: string; says: string },
) =>
  secretPage(
    { title, label: secret.label, secret: key, back: { href: visit.to('/developers'), name: secret.back } },
    says,
  )

/** Keys: the list, one key, and what is done with them. */
export const KEY_ROUTES: readonly DashboardRoute[] = [
  page('/developers', (visit) => showKeys(visit)),
  page('/developers/keys/:id', (visit) => showKey(visit)),
  form(NEW_KEY, { submit: makeOfKind, again: showKeys }),
  form(SECOND_KEY, {
    async submit(visit, { name = '' }) {
      const { key } = await keyIn(visit)
      return makeKey(visit, { kind: key.kind, name })
    },
    again: showKey,
  }),
  form(REVEAL_KEY, {
    async submit(visit) {
      const { key } = await keyIn(visit)
      await judgeKind(visit, key.kind)
      const revealed = await revealKey(visit.app, visit.caller, { merchantId: visit.merchant.id, id: key.id })
      return shownKey(visit, { title: secret.revealTitle, key: revealed.key, says: secret.revealed })
    },
    again: showKey,
  }),
  form(REVOKE_KEY, {
    async submit(visit) {
      const { key } = await keyIn(visit)
      await revokeKey(visit.app, visit.caller, { holder: visit.merchant, id: key.id })
      return doneTo(visit.to('/developers'), texts.revoke.done(key.last4))
    },
    again: showKey,
  }),
  form(REPLACE_KEYS, {
    async submit(visit) {
      const { key } = await keyIn(visit)
      await judgeKind(visit, key.kind)
      const wanted = { holder: visit.merchant, kind: key.kind, commandKey: visit.once?.key }
      const made = await rotateKey(visit.app, visit.caller, wanted)
      return shownKey(visit, { title: secret.madeTitle, key: made, says: secret.made })
    },
    again: showKey,
  }),
]
