import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import type { DashboardRoute } from '../visit.ts'
import {
  ADD_WEBHOOK_ADDRESS,
  ADDRESSES_PATH,
  CHANGE_WEBHOOK_ADDRESS,
  PAUSE_WEBHOOK_ADDRESS,
  REMOVE_WEBHOOK_ADDRESS,
  RESUME_WEBHOOK_ADDRESS,
  ROTATE_ADDRESS_SECRET,
  TEST_WEBHOOK_ADDRESS,
} from './address-forms.tsx'
import { showAddress } from './address-page.tsx'
import { showDelivery } from './delivery-page.tsx'
import { showEvents } from './events-page.tsx'
import { GRADE_RECEIVER, submitGrade } from './grade-page.tsx'
import {
  NEW_KEY,
  REPLACE_KEYS,
  REVEAL_KEY,
  REVOKE_KEY,
  SECOND_KEY,
  SET_KEY_ADDRESSES,
  SET_KEY_LIMIT,
  SET_KEY_SIGNERS,
} from './key-forms.ts'
import { showKey } from './key-page.tsx'
import { showKeys } from './keys-page.tsx'
import { FILL_IN_KEY, showReference, showWithTestKey } from './reference-page.tsx'
import { showRequest } from './request-page.tsx'
import { REQUESTS_PATH, showRequests } from './requests-page.tsx'
import {
  ADD_SANDBOX_FUNDS,
  FAIL_NEXT_PAYOUTS,
  MOVE_TEST_CLOCK,
  PRESS_TEST_MACHINE,
  SANDBOX_PATH,
  SET_TEST_HOLD,
  showSandbox,
} from './sandbox-page.tsx'
import {
  submitChangeAddress,
  submitNewAddress,
  submitPauseAddress,
  submitRemoveAddress,
  submitResumeAddress,
  submitRotateAddress,
  submitTestAddress,
} from './submit-addresses.ts'
import {
  submitKeyAddresses,
  submitKeyLimit,
  submitKeySigners,
  submitNewKey,
  submitReplaceKeys,
  submitRevealKey,
  submitRevokeKey,
  submitSecondKey,
} from './submit-keys.ts'
import { refuseLiveMode, submitClock, submitFailing, submitHold, submitMachine } from './submit-sandbox.ts'
import {
  submitAddress,
  submitResend,
  submitResendFailed,
  submitRevealSecret,
  submitRotateSecret,
  submitTestEvent,
} from './submit-webhooks.ts'
import { submitTestMoney } from './test-money.ts'
import {
  RESEND_DELIVERY,
  RESEND_FAILED_SINCE,
  REVEAL_WEBHOOK_SECRET,
  ROTATE_WEBHOOK_SECRET,
  SEND_TEST_EVENT,
  SET_WEBHOOK_ADDRESS,
  WEBHOOKS_PATH,
} from './webhook-forms.ts'
import { showWebhooks } from './webhooks-page.tsx'

/** The pages and forms for people who connect the API: keys, webhooks, events, requests, the sandbox, the first calls. */
export const DEVELOPER_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/developers', showKeys, 'shop.read'),
  pageRoute('/developers/keys/:id', showKey, 'shop.read'),
  formRoute(NEW_KEY, { submit: submitNewKey, showRefused: showKeys }),
  formRoute(SECOND_KEY, { submit: submitSecondKey, showRefused: showKey }),
  formRoute(REVEAL_KEY, { submit: submitRevealKey, showRefused: showKey }),
  formRoute(REVOKE_KEY, { submit: submitRevokeKey, showRefused: showKey }),
  formRoute(SET_KEY_ADDRESSES, { submit: submitKeyAddresses, showRefused: showKey }),
  formRoute(SET_KEY_SIGNERS, { submit: submitKeySigners, showRefused: showKey }),
  formRoute(SET_KEY_LIMIT, { submit: submitKeyLimit, showRefused: showKey }),
  formRoute(REPLACE_KEYS, { submit: submitReplaceKeys, showRefused: showKey }),

  pageRoute(WEBHOOKS_PATH, showWebhooks, 'payouts.read'),
  pageRoute(`${WEBHOOKS_PATH}/:id`, showDelivery, 'payouts.read'),
  formRoute(SET_WEBHOOK_ADDRESS, { submit: submitAddress, showRefused: showWebhooks }),
  formRoute(REVEAL_WEBHOOK_SECRET, { submit: submitRevealSecret, showRefused: showWebhooks }),
  formRoute(ROTATE_WEBHOOK_SECRET, { submit: submitRotateSecret, showRefused: showWebhooks }),
  formRoute(SEND_TEST_EVENT, { submit: submitTestEvent, showRefused: showWebhooks }),
  formRoute(GRADE_RECEIVER, { submit: submitGrade, showRefused: showWebhooks }),
  formRoute(RESEND_FAILED_SINCE, { submit: submitResendFailed, showRefused: showWebhooks }),
  formRoute(RESEND_DELIVERY, { submit: submitResend, showRefused: showDelivery }),

  pageRoute(`${ADDRESSES_PATH}/:id`, showAddress, 'payouts.read'),
  formRoute(ADD_WEBHOOK_ADDRESS, { submit: submitNewAddress, showRefused: showWebhooks }),
  formRoute(CHANGE_WEBHOOK_ADDRESS, { submit: submitChangeAddress, showRefused: showAddress }),
  formRoute(PAUSE_WEBHOOK_ADDRESS, { submit: submitPauseAddress, showRefused: showAddress }),
  formRoute(RESUME_WEBHOOK_ADDRESS, { submit: submitResumeAddress, showRefused: showAddress }),
  formRoute(ROTATE_ADDRESS_SECRET, { submit: submitRotateAddress, showRefused: showAddress }),
  formRoute(TEST_WEBHOOK_ADDRESS, { submit: submitTestAddress, showRefused: showAddress }),
  formRoute(REMOVE_WEBHOOK_ADDRESS, { submit: submitRemoveAddress, showRefused: showAddress }),

  pageRoute('/developers/events', showEvents, 'shop.read'),
  pageRoute(REQUESTS_PATH, showRequests, 'payouts.read'),
  pageRoute(`${REQUESTS_PATH}/:id`, showRequest, 'payouts.read'),

  pageRoute(SANDBOX_PATH, showSandbox, 'shop.read'),
  formRoute(ADD_SANDBOX_FUNDS, { submit: refuseLiveMode(submitTestMoney(SANDBOX_PATH)), showRefused: showSandbox }),
  formRoute(SET_TEST_HOLD, { submit: refuseLiveMode(submitHold), showRefused: showSandbox }),
  formRoute(FAIL_NEXT_PAYOUTS, { submit: refuseLiveMode(submitFailing), showRefused: showSandbox }),
  formRoute(MOVE_TEST_CLOCK, { submit: refuseLiveMode(submitClock), showRefused: showSandbox }),
  formRoute(PRESS_TEST_MACHINE, { submit: refuseLiveMode(submitMachine), showRefused: showSandbox }),

  pageRoute('/developers/reference', async (visit) => showReference({ visit }), 'shop.read'),
  formRoute(FILL_IN_KEY, {
    submit: showWithTestKey,
    showRefused: async (visit, state) => showReference({ visit, state }),
  }),
]
