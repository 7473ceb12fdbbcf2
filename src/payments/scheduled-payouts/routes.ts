import { tagEndpoints } from '../../api/http/endpoint.ts'
import { parseStatusAndWindow, severalOf } from '../../api/http/lists/list-choices.ts'
import { LIST_QUERY } from '../../api/http/lists/lists.ts'
import { listEndpoint, objectEndpoint } from '../../api/http/read-endpoints.ts'
import { actEndpoint, keyedEndpoint } from '../../api/http/write-endpoints.ts'
import type { App } from '../../program/app.ts'
import { changeSchedule, type ScheduleChange } from './change-schedule.ts'
import { createSchedule } from './create-schedule.ts'
import { getSchedule, listSchedules } from './find-schedules.ts'
import { presentSchedule, SCHEDULE_STATUSES, type Schedule, ScheduledPayoutShape } from './schedule.ts'
import { ScheduledPayoutCreateShape } from './schedule-request.ts'

const ID = 'starts with `spo_`'

/** The three actions without a body. */
const changeEndpoint = (change: ScheduleChange, texts: { name: string; summary: string; description: string }) =>
  actEndpoint<App, Schedule>({
    ...texts,
    path: `/v1/scheduled-payouts/:id/${change}`,
    action: 'schedule.change',
    rate: `${change}_schedule`,
    id: ID,
    shape: { description: 'as it is now', schema: ScheduledPayoutShape },
    refusals: change === 'cancel' ? {} : { 409: 'conflict: a cancelled one stays cancelled' },
    act: (app, caller, id) => changeSchedule(app, caller, { id, change }),
    present: presentSchedule,
  })

export const scheduledPayoutEndpoints = tagEndpoints('Scheduled payouts', [
  keyedEndpoint<App, typeof ScheduledPayoutCreateShape>({
    path: '/v1/scheduled-payouts',
    name: 'createScheduledPayout',
    summary: 'Pay the same people again and again',
    description:
      'Each cycle pays everybody or nobody: one that you cannot fund pauses the schedule. Funds are not looked at now.',
    action: 'schedule.create',
    rate: 'scheduled_payouts',
    rateKind: 'shared',
    body: ScheduledPayoutCreateShape,
    answers: { 201: { description: 'active', schema: ScheduledPayoutShape } },
    make: createSchedule,
  }),
  listEndpoint<App, Schedule>({
    path: '/v1/scheduled-payouts',
    name: 'listScheduledPayouts',
    summary: 'List scheduled payouts, newest first',
    description: 'With `status=active` only those that pay; cancelled ones stay in the list.',
    action: 'payouts.read',
    query: { status: severalOf(SCHEDULE_STATUSES, 'ScheduledPayoutStatus'), ...LIST_QUERY },
    row: ScheduledPayoutShape,
    list: (app, caller, query) => listSchedules(app, caller, parseStatusAndWindow(query, SCHEDULE_STATUSES)),
    present: presentSchedule,
  }),
  objectEndpoint<App, Schedule>({
    path: '/v1/scheduled-payouts/:id',
    name: 'getScheduledPayout',
    summary: 'Read one scheduled payout',
    description: '`next_run_at` says when it pays next; its payouts are found with `GET /v1/payouts?schedule=`.',
    action: 'payouts.read',
    id: ID,
    shape: { description: 'the scheduled payout', schema: ScheduledPayoutShape },
    find: getSchedule,
    present: presentSchedule,
  }),
  changeEndpoint('pause', {
    name: 'pauseScheduledPayout',
    summary: 'Pause a scheduled payout',
    description: 'Nothing is paid until you resume it. Payouts that exist go on. Paused already: unchanged.',
  }),
  changeEndpoint('resume', {
    name: 'resumeScheduledPayout',
    summary: 'Resume a paused scheduled payout',
    description: 'A date that passed during the pause is made up for once, within a minute. Active already: unchanged.',
  }),
  changeEndpoint('cancel', {
    name: 'cancelScheduledPayout',
    summary: 'Cancel a scheduled payout for good',
    description: 'Payouts that exist go on. Cancelled already: unchanged.',
  }),
])
