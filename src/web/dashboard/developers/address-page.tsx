import { mayDo } from '../../../api/access/allow.ts'
import { parseListWindow } from '../../../api/http/lists/lists.ts'
import type { WebhookAddress } from '../../../merchants/webhooks/addresses/address.ts'
import { addressNotFound, getAddress } from '../../../merchants/webhooks/addresses/find-addresses.ts'
import type { Delivery } from '../../../merchants/webhooks/delivery.ts'
import { listDeliveries } from '../../../merchants/webhooks/find-deliveries.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { Facts, formatPageTime, Note, OutsideText, Section, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { Table } from '../../parts/table.tsx'
import { WEBHOOKS } from '../texts/webhooks.ts'
import type { DashboardVisit } from '../visit.ts'
import {
  arrangeAddressFields,
  CHANGE_WEBHOOK_ADDRESS,
  fillAddressForm,
  PAUSE_WEBHOOK_ADDRESS,
  REMOVE_WEBHOOK_ADDRESS,
  RESUME_WEBHOOK_ADDRESS,
  ROTATE_ADDRESS_SECRET,
  TEST_WEBHOOK_ADDRESS,
} from './address-forms.tsx'
import { DeveloperArea } from './developer-tabs.tsx'
import { DELIVERY_LIST_COLUMNS } from './failing-deliveries.tsx'
import { AddressTrouble, formatEvents } from './more-addresses.tsx'
import { WEBHOOKS_PATH } from './webhook-forms.ts'

const { more, secret, deliveries: deliveryTexts } = WEBHOOKS
const DELIVERIES_SHOWN = '10'

type AddressProps = { visit: DashboardVisit; of: WebhookAddress; state: FormState | null }

/** Shows one address beside the first one: what it gets, how it does, its secret, and what may be done with it. */
export async function showAddress(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller } = visit
  const address = await getAddress(app, caller, visit.params.id ?? '')
  // The first one has its forms on the page of webhooks.
  if (address.number === 1) throw addressNotFound()
  const window = { ...parseListWindow({ limit: DELIVERIES_SHOWN }), status: null, event: null }
  const { data } = await listDeliveries(app, caller, { ...window, address: address.id })
  const title = more.pageTitle(address.number)
  const props = { visit, of: address, state }
  return pageReply(
    title,
    <DeveloperArea visit={visit} at={WEBHOOKS_PATH} title={title}>
      <AddressTrouble address={address} now={visit.now} />
      <AddressFacts of={address} />
      <Switch {...props} />
      {mayDo(caller, 'webhook.address') && <Change {...props} />}
      <Secret {...props} />
      {mayDo(caller, 'webhook.ping') && (
        <Section title={more.pingTitle}>
          <p class="hint">{more.pingSays}</p>
          <FormBox of={TEST_WEBHOOK_ADDRESS} visit={visit} state={state} params={{ id: address.id }} compact />
        </Section>
      )}
      <LastDeliveries rows={data} />
      {mayDo(caller, 'webhook.address') && (
        <details open={state?.path === REMOVE_WEBHOOK_ADDRESS.path}>
          <summary>{more.removeTitle}</summary>
          <FormBox of={REMOVE_WEBHOOK_ADDRESS} visit={visit} state={state} params={{ id: address.id }}>
            <p class="hint">{more.removeSays}</p>
          </FormBox>
        </details>
      )}
    </DeveloperArea>,
    { status: state?.status ?? 200 },
  )
}

const AddressFacts = ({ of: address }: { of: WebhookAddress }) => (
  <Facts
    facts={[
      [
        more.address,
        <code>
          <OutsideText text={address.url} />
        </code>,
      ],
      [more.events, formatEvents(address)],
      [more.lastSuccess, <Time at={address.lastSuccessAt} />],
      address.failingSince !== null && [more.failingSince, <Time at={address.failingSince} />],
      [more.created, <Time at={address.createdAt} />],
    ]}
  />
)

/** Lets the events of the address wait, and sends them. */
function Switch({ visit, of: address, state }: AddressProps) {
  if (!mayDo(visit.caller, 'webhook.switch')) return null
  const mayWait = address.state !== 'active' || address.failingSince !== null
  return (
    <>
      {mayWait && (
        <Section title={more.resumeTitle}>
          <p class="hint">{more.resumeSays}</p>
          <FormBox of={RESUME_WEBHOOK_ADDRESS} visit={visit} state={state} params={{ id: address.id }} compact />
        </Section>
      )}
      {address.state === 'active' && (
        <Section title={more.pauseTitle}>
          <p class="hint">{more.pauseSays}</p>
          <FormBox of={PAUSE_WEBHOOK_ADDRESS} visit={visit} state={state} params={{ id: address.id }} compact />
        </Section>
      )}
    </>
  )
}

const Change = ({ visit, of: address, state }: AddressProps) => (
  <Section title={more.change.title}>
    <p class="hint">{more.change.says}</p>
    <FormBox
      of={CHANGE_WEBHOOK_ADDRESS}
      visit={visit}
      state={state}
      params={{ id: address.id }}
      values={fillAddressForm(address)}
      arrange={arrangeAddressFields}
    />
  </Section>
)

const Secret = ({ visit, of: address, state }: AddressProps) => (
  <Section title={secret.title}>
    <Facts facts={[[secret.since, <Time at={address.secretSince} />]]} />
    {address.previousUntil !== null && <Note tone="open">{secret.both(formatPageTime(address.previousUntil))}</Note>}
    {mayDo(visit.caller, 'webhook.rotate') && (
      <details open={state?.path === ROTATE_ADDRESS_SECRET.path}>
        <summary>{secret.rotateTitle}</summary>
        <FormBox of={ROTATE_ADDRESS_SECRET} visit={visit} state={state} params={{ id: address.id }}>
          <p class="hint">{secret.rotateSays}</p>
        </FormBox>
      </details>
    )}
  </Section>
)

const LastDeliveries = ({ rows }: { rows: readonly Delivery[] }) => (
  <Section title={more.deliveries}>
    {rows.length === 0 ? (
      <p class="quiet">{more.noDeliveries}</p>
    ) : (
      <Table caption={more.deliveries} rows={rows} columns={DELIVERY_LIST_COLUMNS} />
    )}
    <p class="hint">{deliveryTexts.kept}</p>
  </Section>
)
