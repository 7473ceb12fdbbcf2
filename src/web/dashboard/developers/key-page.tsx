import { mayDo } from '../../../api/access/allow.ts'
import type { ListedKey } from '../../../merchants/account/list-keys.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { Facts, Money, Note, OutsideText, Section, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith } from '../../parts/table.tsx'
import { DEVELOPERS } from '../texts/developers.ts'
import type { DashboardVisit } from '../visit.ts'
import { DeveloperArea } from './developer-tabs.tsx'
import {
  getVisitedKey,
  isFullKey,
  mayHoldKey,
  REPLACE_KEYS,
  REVEAL_KEY,
  REVOKE_KEY,
  SECOND_KEY,
  SET_KEY_ADDRESSES,
  SET_KEY_LIMIT,
  SET_KEY_SIGNERS,
} from './key-forms.ts'
import { KeyStatus, LastUsed } from './keys-page.tsx'

const { keys, key: texts, kinds, change } = DEVELOPERS
const { columns } = keys

type KeyProps = { visit: DashboardVisit; of: ListedKey; secondKey: ListedKey | null; state: FormState | null }

/** Shows one key: its facts, how to change it without a gap, and how to revoke or replace it at once. */
export async function showKey(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { key, keysInMode } = await getVisitedKey(visit)
  const secondKey = keysInMode.find(
    ({ id, kind, revokedAt }) => id !== key.id && kind === key.kind && revokedAt === null,
  )
  const title = key.name ?? `${kinds[key.kind]} ${keys.of(key.last4)}`
  const props = { visit, of: key, secondKey: secondKey ?? null, state }
  return pageReply(
    title,
    <DeveloperArea visit={visit} at="/developers" title={title}>
      <KeyFacts visit={visit} of={key} />
      {key.revokedAt === null && mayDo(visit.caller, 'key.reveal') && (
        <>
          {mayHoldKey(visit.caller, key.kind) ? (
            <>
              <Section title={texts.reveal.title}>
                <FormBox of={REVEAL_KEY} visit={visit} state={state} params={{ id: key.id }} />
              </Section>
              <Change {...props} />
            </>
          ) : (
            <Note>{texts.ownersOnly}</Note>
          )}
          {mayDo(visit.caller, 'key.restrict') && <Addresses {...props} />}
          {mayDo(visit.caller, 'key.restrict') && <Signers {...props} />}
          {mayDo(visit.caller, 'key.restrict') && isFullKey(key.kind) && <Limit {...props} />}
          <RevokeAndReplace {...props} />
        </>
      )}
    </DeveloperArea>,
    { status: state?.status ?? 200 },
  )
}

const KeyFacts = ({ visit, of: key }: { visit: DashboardVisit; of: ListedKey }) => (
  <Facts
    facts={[
      [columns.status, <KeyStatus of={key} />],
      [texts.kind, kinds[key.kind]],
      [texts.ends, <code>{keys.of(key.last4)}</code>],
      [texts.id, <code>{key.id}</code>],
      [columns.maker, <OutsideText text={key.createdBy ?? keys.atSignUp} />],
      [columns.made, <Time at={key.createdAt} />],
      [columns.used, <LastUsed at={key.lastUsedAt} />],
      key.usedFrom.length > 0 && [texts.usedFrom, <code>{key.usedFrom.join(', ')}</code>],
      [texts.allowedFrom, key.allowedFrom.length === 0 ? texts.anywhere : <code>{key.allowedFrom.join(', ')}</code>],
      [texts.signedBy, key.signedBy.length === 0 ? texts.unsigned : <code>{key.signedBy.join(', ')}</code>],
      isFullKey(key.kind) && [
        texts.dailyLimit,
        key.dailyLimit === null ? texts.unlimited : <Money amount={key.dailyLimit} />,
      ],
      key.dailyLimit !== null && key.sentOn !== null && [texts.sentOn(key.sentOn), <Money amount={key.sent} />],
      key.revokedAt !== null && [texts.revokedAt, <Time at={key.revokedAt} />],
      mayDo(visit.caller, 'payouts.read') && [
        texts.requests,
        <a href={addressWith(visit.to('/developers/requests'), { key: key.last4 })}>{texts.requests}</a>,
      ],
    ]}
  />
)

const Addresses = ({ visit, of: key, state }: KeyProps) => (
  <Section title={texts.addresses.title}>
    <p class="hint">{texts.addresses.says}</p>
    <FormBox
      of={SET_KEY_ADDRESSES}
      visit={visit}
      state={state}
      params={{ id: key.id }}
      values={{ addresses: key.allowedFrom.join('\n') }}
    />
  </Section>
)

const Signers = ({ visit, of: key, state }: KeyProps) => (
  <Section title={texts.signers.title}>
    <p class="hint">{texts.signers.says}</p>
    <FormBox
      of={SET_KEY_SIGNERS}
      visit={visit}
      state={state}
      params={{ id: key.id }}
      values={{ public_keys: key.signedBy.join('\n') }}
    />
  </Section>
)

const Limit = ({ visit, of: key, state }: KeyProps) => (
  <Section title={texts.limit.title}>
    <p class="hint">{texts.limit.says}</p>
    <FormBox
      of={SET_KEY_LIMIT}
      visit={visit}
      state={state}
      params={{ id: key.id }}
      values={{ limit: key.dailyLimit === null ? '' : String(key.dailyLimit) }}
    />
  </Section>
)

/** The three steps of a change. The keys that exist tell which step is next; the older key is the one to revoke. */
function Change({ visit, of: key, secondKey, state }: KeyProps) {
  const [old, fresh] = secondKey === null || secondKey.createdAt >= key.createdAt ? [key, secondKey] : [secondKey, key]
  return (
    <Section title={change.title}>
      <ol class="steps">
        <li>
          <p class="strong">{fresh === null ? change.first : change.firstDone}</p>
          {fresh === null && <FormBox of={SECOND_KEY} visit={visit} state={state} params={{ id: key.id }} />}
        </li>
        <li>
          <p class="strong">{change.move}</p>
          <p class="hint">{change.moveSays}</p>
          {fresh !== null && (
            <Facts
              facts={[
                [`${change.newUsed} (${keys.of(fresh.last4)})`, <LastUsed at={fresh.lastUsedAt} />],
                [`${change.oldUsed} (${keys.of(old.last4)})`, <LastUsed at={old.lastUsedAt} />],
              ]}
            />
          )}
        </li>
        <li>
          <p class="strong">{change.last}</p>
          <p class="hint">{change.lastSays(old.last4)}</p>
          {fresh !== null && old.id !== key.id && (
            <a href={visit.to(`/developers/keys/${old.id}`)}>{keys.of(old.last4)}</a>
          )}
        </li>
      </ol>
    </Section>
  )
}

const RevokeAndReplace = ({ visit, of: key, secondKey, state }: KeyProps) => (
  <div class="actions">
    <details open={state?.path === REVOKE_KEY.path}>
      <summary>{texts.revoke.title}</summary>
      <FormBox of={REVOKE_KEY} visit={visit} state={state} params={{ id: key.id }}>
        <p class="hint">{texts.revoke.says}</p>
        {secondKey === null && <p class="wrong">{texts.revoke.last}</p>}
      </FormBox>
    </details>
    {mayHoldKey(visit.caller, key.kind) && (
      <details open={state?.path === REPLACE_KEYS.path}>
        <summary>{texts.leaked.title}</summary>
        <FormBox of={REPLACE_KEYS} visit={visit} state={state} params={{ id: key.id }}>
          <p class="hint">{texts.leaked.says}</p>
        </FormBox>
      </details>
    )}
  </div>
)
