import {
  agreeToChecker,
  type CheckerState,
  dropCheckerChange,
  setCheckerRuleForTwo,
} from '../../../payments/payouts/prepared/set-checker-rule.ts'
import { type FormSpec, type FormValues, getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { LIMITS } from '../texts/limits.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'
import { AGREE_TO_CHECKER, DROP_CHECKER_CHANGE, SET_CHECKER, showLimits, TURN_OFF_CHECKER } from './limits-page.tsx'

const { checker } = LIMITS
const LIMITS_PATH = '/settings/limits'

/** Declares a form of the page that leads back to it with a message. */
const limitsRoute = (
  spec: FormSpec,
  operation: (visit: DashboardVisit, values: FormValues) => Promise<string>,
): DashboardRoute =>
  formRoute(spec, {
    submit: async (visit, values) => redirectDone(visit.to(LIMITS_PATH), await operation(visit, values)),
    showRefused: showLimits,
  })

const formatOutcome = ({ wanted }: CheckerState) => (wanted === null ? checker.done : checker.waits)

/** Settings, Limits: the largest amounts, and the rule of the second person. */
export const LIMITS_ROUTES: readonly DashboardRoute[] = [
  pageRoute(LIMITS_PATH, showLimits, 'shop.read'),
  limitsRoute(SET_CHECKER, async ({ app, caller }, values) =>
    formatOutcome(await setCheckerRuleForTwo(app, caller, getAmount(values, 'above'))),
  ),
  limitsRoute(TURN_OFF_CHECKER, async ({ app, caller }) =>
    formatOutcome(await setCheckerRuleForTwo(app, caller, null)),
  ),
  limitsRoute(AGREE_TO_CHECKER, async ({ app, caller }, values) => {
    await agreeToChecker(app, caller, values.above === '' ? null : getAmount(values, 'above'))
    return checker.agreed
  }),
  limitsRoute(DROP_CHECKER_CHANGE, async ({ app, caller }) => {
    await dropCheckerChange(app, caller)
    return checker.dropped
  }),
]
