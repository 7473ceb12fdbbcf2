import { APPLICATION } from '../../pages/application-words.ts'
import { FormBox } from '../../pages/form.tsx'
import { type Fact, Facts, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { type Column, Table } from '../../pages/table.tsx'
import type { Shared } from '../../verification/digests.ts'
import { type HeardName, heardNames } from '../../verification/heard-names.ts'
import type { CheckedNumber, NameCheck } from '../../verification/name-check.ts'
import { VERIFICATION } from '../texts/verification.ts'
import type { ConsoleVisit } from '../visit.ts'
import { answerOf, labelOf } from './answer-words.ts'
import { ASK } from './review-forms.ts'
import type { ReviewPart } from './review-page.tsx'

const { checks } = VERIFICATION
const { stepNames } = APPLICATION

const factsOf = (step: Parameters<typeof labelOf>[0], answers: object | undefined): Fact[] =>
  Object.entries(answers ?? {}).map(([name, value]) => [
    labelOf(step, name),
    <Said text={answerOf(step, name, String(value))} />,
  ])

/** The answers of the business, step by step. */
export function Answers({ reviewed }: ReviewPart) {
  const { business, directors, settlement, questionnaire } = reviewed.verification.answers
  const steps = [
    { name: stepNames.business, facts: factsOf('business', business) },
    ...(directors ?? []).map((director, index) => ({
      name: checks.numbers.director(index),
      facts: factsOf('director', director),
    })),
    { name: stepNames.settlement, facts: factsOf('settlement', settlement) },
    { name: stepNames.questionnaire, facts: factsOf('questionnaire', questionnaire) },
  ]
  return (
    <div>
      {steps.map(({ name, facts }) => (
        <Section title={name}>
          <Facts facts={facts} />
        </Section>
      ))}
    </div>
  )
}

/** Lists every number of the application, with the name that the business gave for it and the operator's name check. */
export const heardOf = ({ reviewed, withdrawal }: ReviewPart): HeardName[] =>
  heardNames({ answers: reviewed.verification.answers, withdrawal, checks: reviewed.checks })

/** Formats the name of a number of an application. */
export const numberName = (what: CheckedNumber): string =>
  what === 'settlement' || what === 'withdrawal'
    ? checks.numbers[what]
    : checks.numbers.director(Number(what.slice('director-'.length)))

const columnsOf = (visit: ConsoleVisit, { id, state }: ReviewPart): readonly Column<HeardName>[] => [
  { title: checks.number, cell: ({ what }) => numberName(what) },
  { title: checks.phone, cell: ({ phone }) => phone },
  { title: checks.given, cell: ({ given }) => <Said text={given} /> },
  { title: checks.heard, cell: ({ check, differs }) => <Heard check={check} differs={differs} /> },
  { title: checks.at, cell: ({ check }) => <Time at={check?.at ?? null} /> },
  {
    title: checks.act,
    cell: ({ what }) => (
      <FormBox
        of={ASK}
        visit={visit}
        state={visit.params.what === what ? state : null}
        params={{ id, what }}
        compact
      />
    ),
  },
]

/** The name that the operator of the wallet has for a number. */
export const Heard = ({ check, differs = false }: { check: NameCheck | null; differs?: boolean }) =>
  check === null ? (
    <span class="quiet">{checks.notAsked}</span>
  ) : !check.active ? (
    <Status word={checks.inactive} tone="bad" />
  ) : (
    <>
      <Said text={check.name ?? checks.unnamed} /> {differs && <Status word={checks.differs} tone="bad" />}
    </>
  )

const SHARED: readonly Column<Shared>[] = [
  { title: checks.merchant, cell: ({ name }) => <Said text={name} /> },
  { title: checks.what, cell: ({ kind }) => checks.kinds[kind] },
  { title: checks.verification, cell: ({ kycStatus }) => <Status word={kycStatus} /> },
]

/** The comparisons of an application: its names with the operator's, its numbers and browsers with other applications. */
export const Checks = (part: ReviewPart) => (
  <Section title={checks.title}>
    <h3>{checks.asked}</h3>
    <Table caption={checks.asked} rows={heardOf(part)} columns={columnsOf(part.visit, part)} />
    <h3>{checks.shared}</h3>
    {part.reviewed.shared.length === 0 ? (
      <p class="quiet">{checks.sharedNone}</p>
    ) : (
      <Table
        caption={checks.shared}
        rows={part.reviewed.shared}
        columns={SHARED}
        href={({ publicId }) => part.visit.to(`/merchants/${publicId}`)}
      />
    )}
  </Section>
)
