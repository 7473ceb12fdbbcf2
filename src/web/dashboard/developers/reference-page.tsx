import { revealKey } from '../../../merchants/account/reveal-secrets.ts'
import { domainRefusal } from '../../../platform/refusal.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { CopyBox, Note, Section } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildChargeSnippets, type Snippet, VERIFY_SNIPPETS } from '../../parts/snippets.ts'
import { DEVELOPERS } from '../texts/developers.ts'
import type { DashboardVisit } from '../visit.ts'
import { DeveloperArea } from './developer-tabs.tsx'
import { readKeysInMode } from './key-forms.ts'

const { reference } = DEVELOPERS
const KEY_PLACEHOLDERS = { test: 'sk_test_YOUR_KEY', live: 'sk_live_YOUR_KEY' }
export const FILL_IN_KEY: FormSpec = {
  path: '/developers/reference/key',
  action: 'key.reveal',
  fields: [],
  submit: reference.submit,
}

type ReferenceInput = { visit: DashboardVisit; key?: string; state?: FormState | null }

export function showReference({ visit, key, state = null }: ReferenceInput): SurfaceReply {
  const { mode, app } = visit
  return pageReply(
    reference.title,
    <DeveloperArea visit={visit} at="/developers/reference" title={reference.title}>
      <p>{reference.lead}</p>
      <p class="actions">
        <a class="button plain" href="/docs">
          {reference.docs}
        </a>
        <a class="button plain" href="/openapi.json">
          {reference.openapi}
        </a>
      </p>
      {mode === 'live' ? (
        <Note>{reference.liveSays}</Note>
      ) : key !== undefined ? (
        <Note tone="warn">{reference.filled}</Note>
      ) : (
        <Section title={reference.keyTitle}>
          <FormBox of={FILL_IN_KEY} visit={visit} state={state}>
            <p class="hint">{reference.keySays}</p>
          </FormBox>
        </Section>
      )}
      <Section title={reference.charge}>
        <p>{reference.chargeSays}</p>
        <Snippets of={buildChargeSnippets({ baseUrl: app.baseUrl, key: key ?? KEY_PLACEHOLDERS[mode] })} />
      </Section>
      <Section title={reference.verify}>
        <p>{reference.verifySays}</p>
        <Snippets of={VERIFY_SNIPPETS} about={reference.verify} />
      </Section>
    </DeveloperArea>,
    { status: state?.status ?? 200 },
  )
}

const Snippets = ({ of, about = reference.charge }: { of: readonly Snippet[]; about?: string }) => (
  <>
    {of.map(({ language, text }) => (
      <>
        <h3>{reference.languages[language]}</h3>
        <CopyBox text={text} label={`${about}: ${reference.languages[language]}`} />
      </>
    ))}
  </>
)

/** Shows the reference with the whole test key in its examples; the audit records it like every reveal of a key. */
export async function showWithTestKey(visit: DashboardVisit): Promise<SurfaceReply> {
  const testKey = (await readKeysInMode(visit)).find(({ kind, revokedAt }) => kind === 'test' && revokedAt === null)
  if (!testKey) throw domainRefusal('no_test_key', reference.noKey)
  const { key } = await revealKey(visit.app, visit.caller, { merchantId: visit.merchant.id, id: testKey.id })
  return showReference({ visit, key })
}
