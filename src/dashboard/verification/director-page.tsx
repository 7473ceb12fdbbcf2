import { FormBox } from '../../pages/form.tsx'
import type { FormState, Values } from '../../pages/form-spec.ts'
import { Empty, Note, Said, Section } from '../../pages/parts.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Table } from '../../pages/table.tsx'
import { notFound } from '../../platform/refusal.ts'
import { readVerification } from '../../verification/read-application.ts'
import { MOST_DIRECTORS, removeDirector, saveDirector } from '../../verification/save-step.ts'
import type { Director } from '../../verification/steps.ts'
import { VERIFICATION } from '../texts/verification.ts'
import type { DashboardVisit } from '../visit.ts'
import { liveCaller, mayEdit, StepList, StepNote } from './frame.tsx'
import { ADD_DIRECTOR, EDIT_DIRECTOR, REMOVE_DIRECTOR, withNotes } from './step-specs.ts'

const { director } = VERIFICATION
const HOME = '/verification/directors'

type Listed = Director & { position: number }

const columnsOf = (visit: DashboardVisit): readonly Column<Listed>[] => [
  { title: director.columns.name, cell: ({ name }) => <Said text={name} /> },
  { title: director.columns.part, cell: ({ part }) => director.parts[part] },
  {
    title: director.columns.document,
    cell: ({ id_kind, id_number }) => <Said text={`${director.id_kinds[id_kind]} ${id_number}`} />,
  },
  {
    title: director.columns.acts,
    cell: ({ position }) => (
      <FormBox of={REMOVE_DIRECTOR} visit={visit} params={{ place: `${position}` }} compact />
    ),
  },
]

/** Lists the people behind the business, with the form that adds one. */
export async function showDirectors(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const verification = await readVerification(visit.app, visit.merchant.id)
  if (!mayEdit(visit, verification) && state === null) return doneTo(visit.to('/verification'))
  const people = (verification.answers.directors ?? []).map((person, index) => ({
    ...person,
    position: index + 1,
  }))
  return shownPage(
    VERIFICATION.steps.directors,
    <>
      <p>
        <a href={visit.to('/verification')}>{VERIFICATION.title}</a>
      </p>
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
          columns={columnsOf(visit)}
          href={({ position }) => visit.to(`${HOME}/${position}`)}
        />
      )}
      {people.length < MOST_DIRECTORS && (
        <Section title={director.add} id="add">
          <FormBox
            of={withNotes(ADD_DIRECTOR, 'directors', verification.rejection?.notes ?? null)}
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
export async function showDirector(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const verification = await readVerification(visit.app, visit.merchant.id)
  const index = placeOf(visit)
  const person = verification.answers.directors?.[index]
  if (person === undefined || !mayEdit(visit, verification)) throw notFound('director')
  return shownPage(
    director.edit,
    <>
      <p>
        <a href={visit.to(HOME)}>{VERIFICATION.steps.directors}</a>
      </p>
      <h1>
        <Said text={person.name} />
      </h1>
      <FormBox
        of={withNotes(EDIT_DIRECTOR, 'directors', verification.rejection?.notes ?? null)}
        visit={visit}
        state={state}
        values={person as Values}
        params={{ place: `${index + 1}` }}
      />
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Parses the index of a person from the address, which counts from 1; -1, which is the index of no person, if it is no such number. */
const placeOf = ({ params }: DashboardVisit): number =>
  /^[1-9][0-9]?$/.test(params.place ?? '') ? Number(params.place) - 1 : -1

export async function addDirector(visit: DashboardVisit, values: Values): Promise<Shown> {
  await saveDirector(visit.app, liveCaller(visit), { place: null, given: values })
  return doneTo(visit.to(HOME), VERIFICATION.saved)
}

export async function editDirector(visit: DashboardVisit, values: Values): Promise<Shown> {
  await saveDirector(visit.app, liveCaller(visit), { place: placeOf(visit), given: values })
  return doneTo(visit.to(HOME), VERIFICATION.saved)
}

export async function dropDirector(visit: DashboardVisit): Promise<Shown> {
  await removeDirector(visit.app, liveCaller(visit), placeOf(visit))
  return doneTo(visit.to(HOME), director.removed)
}
