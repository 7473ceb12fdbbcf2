import { mayDo } from '../../../api/access/allow.ts'
import type { WebhookAddress } from '../../../merchants/webhooks/addresses/address.ts'
import { addAddress, removeAddress } from '../../../merchants/webhooks/addresses/change-addresses.ts'
import { resumeAddress } from '../../../merchants/webhooks/addresses/switch-address.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { Facts, Note, OutsideText, Section, Time } from '../../parts/parts.tsx'
import { redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { WEBHOOKS } from '../texts/webhooks.ts'
import type { DashboardVisit } from '../visit.ts'
import { renderSecretPage } from './secret-page.tsx'
import { WEBHOOKS_PATH } from './webhook-forms.ts'

const { more, secret } = WEBHOOKS
const PATH = '/developers/webhook-addresses'

export const ADD_WEBHOOK_ADDRESS: FormSpec = {
  path: `${PATH}/new`,
  action: 'webhook.address',
  fields: [{ name: 'url', label: more.label, hint: more.hint, kind: 'url', maxLength: 2048 }],
  submit: more.submit,
}
export const RESUME_WEBHOOK_ADDRESS: FormSpec = {
  path: `${PATH}/:id/resume`,
  action: 'webhook.switch',
  fields: [],
  submit: more.resume,
}
export const REMOVE_WEBHOOK_ADDRESS: FormSpec = {
  path: `${PATH}/:id/remove`,
  action: 'webhook.address',
  fields: [],
  submit: more.remove,
  danger: true,
}

/** Adds an address that gets every event of this mode, and shows its secret this once. */
export async function submitNewAddress(visit: DashboardVisit, { url = '' }: FormValues): Promise<SurfaceReply> {
  const added = await addAddress(visit.app, visit.caller, { url })
  const back = { href: visit.to(WEBHOOKS_PATH), name: secret.back }
  return renderSecretPage({ title: more.madeTitle, label: secret.label, secret: added.secret, back }, more.made)
}

export async function submitResumeAddress(visit: DashboardVisit): Promise<SurfaceReply> {
  await resumeAddress(visit.app, visit.caller, visit.params.id ?? '')
  return redirectDone(visit.to(WEBHOOKS_PATH), more.resumed)
}

export async function submitRemoveAddress(visit: DashboardVisit): Promise<SurfaceReply> {
  await removeAddress(visit.app, visit.caller, visit.params.id ?? '')
  return redirectDone(visit.to(WEBHOOKS_PATH), more.removed)
}

type MoreProps = { visit: DashboardVisit; state: FormState | null; addresses: readonly WebhookAddress[] }

/** The addresses beside the first one, each with what it gets and how it does. */
export const MoreAddresses = ({ visit, state, addresses }: MoreProps) => (
  <Section title={more.title} id="more-addresses">
    <p class="hint">{more.says}</p>
    {addresses.map((address) => (
      <Address visit={visit} state={state} of={address} />
    ))}
    {mayDo(visit.caller, 'webhook.address') && (
      <details open={state?.path === ADD_WEBHOOK_ADDRESS.path}>
        <summary>{more.add}</summary>
        <FormBox of={ADD_WEBHOOK_ADDRESS} visit={visit} state={state} />
      </details>
    )}
  </Section>
)

const Address = ({ visit, state, of: address }: Omit<MoreProps, 'addresses'> & { of: WebhookAddress }) => (
  <>
    <p>
      <code>
        <OutsideText text={address.url ?? ''} />
      </code>
    </p>
    {address.state !== 'active' && (
      <Note tone={address.state === 'paused' ? 'open' : 'warn'}>{more.states[address.state]}</Note>
    )}
    <Facts
      facts={[
        [more.events, address.events === null ? more.allEvents : address.events.join(', ')],
        address.lastSuccessAt !== null && [more.lastSuccess, <Time at={address.lastSuccessAt} />],
        address.failingSince !== null && [more.failingSince, <Time at={address.failingSince} />],
      ]}
    />
    <div class="actions">
      {(address.state !== 'active' || address.failingSince !== null) && mayDo(visit.caller, 'webhook.switch') && (
        <FormBox of={RESUME_WEBHOOK_ADDRESS} visit={visit} state={state} params={{ id: address.id }} compact />
      )}
      {mayDo(visit.caller, 'webhook.address') && (
        <details>
          <summary>{more.removeTitle}</summary>
          <FormBox of={REMOVE_WEBHOOK_ADDRESS} visit={visit} state={state} params={{ id: address.id }}>
            <p class="hint">{more.removeSays}</p>
          </FormBox>
        </details>
      )}
    </div>
  </>
)
