import { mayDo } from '../../../api/access/allow.ts'
import type { WebhookAddress } from '../../../merchants/webhooks/addresses/address.ts'
import { isFailingForLong } from '../../../merchants/webhooks/addresses/find-addresses.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { Facts, Note, OutsideText, Section, Time } from '../../parts/parts.tsx'
import { WEBHOOKS } from '../texts/webhooks.ts'
import type { DashboardVisit } from '../visit.ts'
import { ADD_WEBHOOK_ADDRESS, ADDRESSES_PATH, arrangeAddressFields, fillAddressForm } from './address-forms.tsx'

const { more } = WEBHOOKS
const NEW_ADDRESS = { url: null, events: null }

type MoreProps = { visit: DashboardVisit; state: FormState | null; addresses: readonly WebhookAddress[] }

/** The addresses beside the first one, each with what it gets and how it does. */
export const MoreAddresses = ({ visit, state, addresses }: MoreProps) => (
  <Section title={more.title} id="more-addresses">
    <p class="hint">{more.says}</p>
    {addresses.map((address) => (
      <>
        <p>
          <a href={visit.to(`${ADDRESSES_PATH}/${address.id}`)}>
            <OutsideText text={address.url} />
          </a>
        </p>
        <AddressTrouble address={address} now={visit.now} />
        <Facts
          facts={[
            [more.events, formatEvents(address)],
            address.lastSuccessAt !== null && [more.lastSuccess, <Time at={address.lastSuccessAt} />],
            address.failingSince !== null && [more.failingSince, <Time at={address.failingSince} />],
          ]}
        />
      </>
    ))}
    {mayDo(visit.caller, 'webhook.address') && (
      <details open={state?.path === ADD_WEBHOOK_ADDRESS.path}>
        <summary>{more.add}</summary>
        <FormBox
          of={ADD_WEBHOOK_ADDRESS}
          visit={visit}
          state={state}
          values={fillAddressForm(NEW_ADDRESS)}
          arrange={arrangeAddressFields}
        />
      </details>
    )}
  </Section>
)

/** The names of the events that an address gets. */
export const formatEvents = ({ events }: WebhookAddress): string =>
  events === null ? more.allEvents : events.join(', ')

/** Says why nothing arrives at an address; nothing where it does. */
export function AddressTrouble({ address, now }: { address: WebhookAddress; now: Date }) {
  if (address.state !== 'active')
    return <Note tone={address.state === 'paused' ? 'open' : 'warn'}>{more.states[address.state]}</Note>
  return isFailingForLong(address, now) ? <Note tone="warn">{more.failing}</Note> : null
}
