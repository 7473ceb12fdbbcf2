import { addAddress } from '../../../merchants/webhooks/addresses/add-address.ts'
import { pingAddress } from '../../../merchants/webhooks/addresses/address-deliveries.ts'
import { changeAddress, removeAddress } from '../../../merchants/webhooks/addresses/change-addresses.ts'
import { rotateAddressSecret } from '../../../merchants/webhooks/addresses/rotate-address-secret.ts'
import { pauseAddress, resumeAddress } from '../../../merchants/webhooks/addresses/switch-address.ts'
import type { FormValues } from '../../parts/forms/form-spec.ts'
import { formatPageTime } from '../../parts/parts.tsx'
import { redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { WEBHOOKS } from '../texts/webhooks.ts'
import type { DashboardVisit } from '../visit.ts'
import { ADDRESSES_PATH, readChosenEvents } from './address-forms.tsx'
import { renderSecretPage } from './secret-page.tsx'
import { WEBHOOKS_PATH } from './webhook-forms.ts'

const { more, secret } = WEBHOOKS

const visitedId = (visit: DashboardVisit): string => visit.params.id ?? ''
const backToAddress = (visit: DashboardVisit, says: string) =>
  redirectDone(visit.to(`${ADDRESSES_PATH}/${visitedId(visit)}`), says)

/** Adds an address that gets the chosen events of this mode, and shows its secret this once. */
export async function submitNewAddress(visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> {
  const input = { url: values.url ?? '', events: readChosenEvents(values), commandKey: visit.once?.key }
  const added = await addAddress(visit.app, visit.caller, input)
  const back = { href: visit.to(WEBHOOKS_PATH), name: secret.back }
  return renderSecretPage({ title: more.madeTitle, label: secret.label, secret: added.secret, back }, more.made)
}

export async function submitChangeAddress(visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> {
  const change = { url: values.url ?? '', events: readChosenEvents(values) }
  await changeAddress(visit.app, visit.caller, { id: visitedId(visit), change })
  return backToAddress(visit, more.change.done)
}

export async function submitPauseAddress(visit: DashboardVisit): Promise<SurfaceReply> {
  await pauseAddress(visit.app, visit.caller, visitedId(visit))
  return backToAddress(visit, more.paused)
}

export async function submitResumeAddress(visit: DashboardVisit): Promise<SurfaceReply> {
  await resumeAddress(visit.app, visit.caller, visitedId(visit))
  return backToAddress(visit, more.resumed)
}

/** Gives the address a new secret and shows it this once. */
export async function submitRotateAddress(visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> {
  const rotation = { id: visitedId(visit), atOnce: values.atOnce === 'yes', commandKey: visit.once?.key }
  const rotated = await rotateAddressSecret(visit.app, visit.caller, rotation)
  const until = rotated.address.previousUntil
  const oldSecret = until === null ? secret.madeAtOnce : secret.madeUntil(formatPageTime(until))
  const back = { href: visit.to(`${ADDRESSES_PATH}/${rotated.address.id}`), name: more.back }
  const page = { title: more.madeTitle, label: secret.label, secret: rotated.secret, back }
  return renderSecretPage(page, `${more.made} ${oldSecret}`)
}

export async function submitTestAddress(visit: DashboardVisit): Promise<SurfaceReply> {
  await pingAddress(visit.app, visit.caller, visitedId(visit))
  return backToAddress(visit, more.pingDone)
}

export async function submitRemoveAddress(visit: DashboardVisit): Promise<SurfaceReply> {
  await removeAddress(visit.app, visit.caller, visitedId(visit))
  return redirectDone(visit.to(WEBHOOKS_PATH), more.removed)
}
