import { amountOf, type FormSpec, type Values } from '../../pages/form-spec.ts'
import { doneTo } from '../../pages/shown.ts'
import {
  agreeToChecker,
  type CheckerState,
  dropCheckerChange,
  setCheckerRuleForTwo,
} from '../../payouts/prepared/set-checker-rule.ts'
import { LIMITS } from '../texts/limits.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { AGREE, DROP, OFF, SET, showLimits } from './limits-page.tsx'

const { checker } = LIMITS
const HERE = '/settings/limits'

/** Declares a form of the page that leads back to it with a message. */
const act = (
  spec: FormSpec,
  operation: (visit: DashboardVisit, values: Values) => Promise<string>,
): DashboardRoute =>
  form(spec, {
    submit: async (visit, values) => doneTo(visit.to(HERE), await operation(visit, values)),
    again: showLimits,
  })

const saidOf = ({ wanted }: CheckerState) => (wanted === null ? checker.done : checker.waits)

/** Settings, Limits: the largest amounts, and the rule of the second person. */
export const LIMITS_ROUTES: readonly DashboardRoute[] = [
  page(HERE, (visit) => showLimits(visit)),
  act(SET, async ({ app, caller }, values) =>
    saidOf(await setCheckerRuleForTwo(app, caller, amountOf(values, 'above'))),
  ),
  act(OFF, async ({ app, caller }) => saidOf(await setCheckerRuleForTwo(app, caller, null))),
  act(AGREE, async ({ app, caller }, values) => {
    await agreeToChecker(app, caller, values.above === '' ? null : amountOf(values, 'above'))
    return checker.agreed
  }),
  act(DROP, async ({ app, caller }) => {
    await dropCheckerChange(app, caller)
    return checker.dropped
  }),
]
