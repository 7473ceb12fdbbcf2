import { addDevice, stopDevice } from '../../../reports/push/device.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { DEVICE } from '../texts/device.ts'
import type { DashboardRoute } from '../visit.ts'
import { ADD_DEVICE, STOP_DEVICE, showDevice } from './device-page.tsx'
import { DEVICE_PATH } from './device-path.ts'

/** Messages about payments on the phone or computer of a person or till. */
export const DEVICE_ROUTES: readonly DashboardRoute[] = [
  pageRoute(DEVICE_PATH, showDevice, 'read'),
  formRoute(ADD_DEVICE, {
    async submit({ app, caller, merchant, agent, to }, { endpoint = '', p256dh = '', auth = '', ...choices }) {
      const { payments, failures } = { payments: choices.payments === 'yes', failures: choices.failures === 'yes' }
      await addDevice(app, caller, { merchant, input: { endpoint, p256dh, auth, payments, failures, agent } })
      return redirectDone(to(DEVICE_PATH), DEVICE.done)
    },
    showRefused: showDevice,
  }),
  formRoute(STOP_DEVICE, {
    async submit({ app, caller, merchant, params, to }) {
      await stopDevice(app, caller, { merchant, id: params.id ?? '' })
      return redirectDone(to(DEVICE_PATH), DEVICE.removed)
    },
    showRefused: showDevice,
  }),
]
