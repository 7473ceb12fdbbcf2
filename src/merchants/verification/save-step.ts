import type { PersonCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { Tx } from '../../platform/db/database.ts'
import { domainRefusal, notFound } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { findAnswers, openAnswers, saveAnswers } from './answers.ts'
import type { ApplicationKey } from './application.ts'
import { changeDraft } from './open-draft.ts'
import {
  type AnswerStep,
  type Director,
  parseBusiness,
  parseDirector,
  parseQuestionnaire,
  parseSettlement,
  type VerificationAnswers,
} from './steps.ts'

export const MAX_DIRECTORS = 10

type StepFields = Readonly<Record<string, unknown>>

const PARSERS = { business: parseBusiness, settlement: parseSettlement, questionnaire: parseQuestionnaire }

/** Saves the answers of one step in the draft. Throws `invalid request: ...`, or 409 where nothing may change. */
export async function saveStep(
  app: App,
  caller: PersonCaller,
  { step, fields }: { step: keyof typeof PARSERS; fields: StepFields },
): Promise<void> {
  allow(caller, 'verification.edit')
  const answers = PARSERS[step](fields)
  await changeDraft(app, caller, async (_tx, draft) => ({
    value: undefined,
    last: savingCalls(app, caller, { draft, step, answers }),
  }))
}

/** Saves one of the people behind the business: the one with this index in the list, or a new one (null). Throws 404. */
export async function saveDirector(
  app: App,
  caller: PersonCaller,
  { index, fields }: { index: number | null; fields: StepFields },
): Promise<void> {
  allow(caller, 'verification.edit')
  const director = parseDirector(fields, app.clock.now())
  await changeDirectors(app, caller, (directors) => {
    if (index === null) return [...directors, director]
    if (directors[index] === undefined) throw notFound('director')
    return directors.with(index, director)
  })
}

/** Removes the person with this index from the list. Throws 404. */
export async function removeDirector(app: App, caller: PersonCaller, index: number): Promise<void> {
  allow(caller, 'verification.edit')
  await changeDirectors(app, caller, (directors) => {
    if (directors[index] === undefined) throw notFound('director')
    return directors.toSpliced(index, 1)
  })
}

type DirectorsChange = (directors: readonly Director[]) => readonly Director[]

const changeDirectors = (app: App, caller: PersonCaller, change: DirectorsChange): Promise<void> =>
  changeDraft(app, caller, async (tx, draft) => {
    const changed = change(await readDirectors(app, tx, draft))
    if (changed.length > MAX_DIRECTORS) throw domainRefusal('too_many', `at most ${MAX_DIRECTORS} people can be listed`)
    return {
      value: undefined,
      last: savingCalls(app, caller, { draft, step: 'directors', answers: changed }),
    }
  })

async function readDirectors(app: App, tx: Tx, draft: ApplicationKey): Promise<readonly Director[]> {
  const [rows] = await tx.send(findAnswers(draft))
  return openAnswers(app, draft, rows).directors ?? []
}

/** Saves the answers of a step. The audit records that they were changed, never what they say. */
function savingCalls<S extends AnswerStep>(
  app: App,
  caller: PersonCaller,
  { draft, step, answers }: { draft: ApplicationKey; step: S; answers: VerificationAnswers[S] },
) {
  const at = app.clock.now()
  const act = { actor: caller, action: 'verification.edit', at, merchantId: draft.merchantId } as const
  return [
    saveAnswers(app, { ...draft, step }, { answers, at, by: caller.name }),
    auditRow({ ...act, after: { application: draft.number, step } }),
  ]
}
