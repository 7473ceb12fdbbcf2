import { readVerification } from '../../../merchants/verification/read-application.ts'
import { MAX_DIRECTORS, removeDirector, saveDirector } from '../../../merchants/verification/save-step.ts'
import type { Director } from '../../../merchants/verification/steps.ts'
import { notFound } from '../../../platform/refusal.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { Empty, Note, OutsideText, Section } from '../../parts/parts.tsx'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { VERIFICATION } from '../texts/verification.ts'
import type { DashboardVisit } from '../visit.ts'
import { ADD_DIRECTOR, addReviewNotes, EDIT_DIRECTOR, REMOVE_DIRECTOR } from './step-specs.ts'
import { liveCaller, mayEdit, StepList, StepNote } from './wizard.tsx'

const { director } = VERIFICATION
const DIRECTORS_PATH = '/verification/directors'

type DirectorRow = Director & { position: number }

const columnsFor = (visit: DashboardVisit): readonly ListColumn<DirectorRow>[] => [
  column.text(director.columns.name, ({ name }) => name),
  { title: director.columns.part, cell: ({ part }) => director.parts[part] },
  column.text(director.columns.document, ({ id_kind, id_number }) => `${director.id_kinds[id_kind]} ${id_number}`),
  {
    title: director.columns.acts,
    cell: ({ position }) => <FormBox of={REMOVE_DIRECTOR} visit={visit} params={{ place: `${position}` }} compact />,
  },
]

/** Lists the people behind the business, with the form that adds one. */
export async function showDirectors(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const verification = await readVerification(visit.app, visit.merchant.id)
  if (!mayEdit(visit, verification) && state === null) return redirectDone(visit.to('/verification'))
  const people = (verification.answers.directors ?? []).map((person, index) => ({
    ...person,
    position: index + 1,
  }))
  return pageReply(
    VERIFICATION.steps.directors,
    <>
      <h1>{VERIFICATION.steps.directors}</h1>
      <StepList visit={visit} of={verification} here="directors" />
      <StepNote of={verification} step="directors" />
      {state?.path === REMOVE_DIRECTOR.path && <Note tone="bad">{state.fault}</Note>}
      <p>{director.lead}</p>
      {people.length === 0 ? (
        <Empty title={director.none} />
      ) : (
        <Table
          caption={director.list}
          rows={people}
          columns={columnsFor(visit)}
          href={({ position }) => visit.to(`${DIRECTORS_PATH}/${position}`)}
        />
      )}
      {people.length < MAX_DIRECTORS && (
        <Section title={director.add} id="add">
          <FormBox
            of={addReviewNotes(ADD_DIRECTOR, 'directors', verification.rejection?.notes ?? null)}
            visit={visit}
            state={state}
          />
        </Section>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Shows one of these people in the form that changes them. */
export async function showDirector(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const verification = await readVerification(visit.app, visit.merchant.id)
  const index = parseDirectorIndex(visit)
  const person = verification.answers.directors?.[index]
  if (person === undefined || !mayEdit(visit, verification)) throw notFound('director')
  return pageReply(
    director.edit,
    <>
      <p>
        <a href={visit.to(DIRECTORS_PATH)}>{VERIFICATION.steps.directors}</a>
      </p>
      <h1>
        <OutsideText text={person.name} />
      </h1>
      <FormBox
        of={addReviewNotes(EDIT_DIRECTOR, 'directors', verification.rejection?.notes ?? null)}
        visit={visit}
        state={state}
        values={person as FormValues}
        params={{ place: `${index + 1}` }}
      />
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Parses the index of a person from the address, which counts from 1; -1, which is the index of no person, if it is no such number. */
const parseDirectorIndex = ({ params }: DashboardVisit): number =>
  /^[1-9][0-9]?$/.test(params.place ?? '') ? Number(params.place) - 1 : -1

export async function addDirector(visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> {
  await saveDirector(visit.app, liveCaller(visit), { index: null, fields: values })
  return redirectDone(visit.to(DIRECTORS_PATH), VERIFICATION.saved)
}

export async function editDirector(visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> {
  await saveDirector(visit.app, liveCaller(visit), { index: parseDirectorIndex(visit), fields: values })
  return redirectDone(visit.to(DIRECTORS_PATH), VERIFICATION.saved)
}

export async function dropDirector(visit: DashboardVisit): Promise<SurfaceReply> {
  await removeDirector(visit.app, liveCaller(visit), parseDirectorIndex(visit))
  return redirectDone(visit.to(DIRECTORS_PATH), director.removed)
}
