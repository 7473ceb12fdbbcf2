import { askInstallation, readSides, type SideOfOperator } from '../../approvals/installation.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Empty, Section, Time } from '../../pages/parts.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Table } from '../../pages/table.tsx'
import { APPROVALS } from '../texts/approvals.ts'
import { INSTALLATIONS as TEXTS } from '../texts/installations.ts'
import { type ConsoleRoute, type ConsoleVisit, form, page } from '../visit.ts'

const { columns, form: texts, sides } = TEXTS
const PATH = '/installations'

const SWITCH: FormSpec = {
  path: PATH,
  action: 'installation.switch',
  fields: [
    {
      name: 'side',
      label: texts.side,
      kind: 'select',
      choices: (['collect', 'disburse'] as const).map((value) => ({ value, label: sides[value] })),
    },
    { name: 'installation', label: texts.installation, kind: 'select' },
    { name: 'reason', label: texts.reason, most: 500 },
  ],
  submit: texts.submit,
  once: true,
}

const whyOf = (visit: ConsoleVisit, { chosen, takes }: SideOfOperator) => {
  if (chosen === null) return TEXTS.byFile
  if (chosen.installation !== takes) return TEXTS.gone(chosen.installation)
  return (
    <>
      <a href={visit.to(`/approvals/${chosen.approval}`)}>{TEXTS.chosen}</a>, <Time at={chosen.since} />
    </>
  )
}

const columnsFor = (visit: ConsoleVisit): readonly Column<SideOfOperator>[] => [
  { title: columns.side, cell: ({ side }) => sides[side] },
  { title: columns.takes, cell: ({ takes }) => takes ?? TEXTS.nobody },
  { title: columns.why, cell: (side) => whyOf(visit, side) },
  { title: columns.known, cell: ({ known }) => known.join(', ') },
]

/** Shows which installation takes new payments, and the form that asks for another. */
async function showInstallations(visit: ConsoleVisit, state: FormState | null = null): Promise<Shown> {
  const rows = await readSides(visit.gateway)
  const ids = [...new Set(rows.flatMap(({ known }) => known))]
  return shownPage(
    TEXTS.title,
    <>
      <h1>{TEXTS.title}</h1>
      <p class="quiet">{TEXTS.lead}</p>
      {rows.length === 0 ? (
        <Empty title={TEXTS.none}>
          <p>{TEXTS.noneSays}</p>
        </Empty>
      ) : (
        <Table caption={TEXTS.title} rows={rows} columns={columnsFor(visit)} />
      )}
      {ids.length > 1 && (
        <Section title={texts.title}>
          <FormBox
            of={SWITCH}
            visit={visit}
            state={state}
            choices={{ installation: ids.map((value) => ({ value, label: value })) }}
          >
            <p class="hint">{texts.says}</p>
          </FormBox>
        </Section>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

/** The page of installations. It takes two of our staff to switch new payments to another. */
export const INSTALLATION_ROUTES: readonly ConsoleRoute[] = [
  page(PATH, (visit) => showInstallations(visit)),
  form(SWITCH, {
    async submit({ gateway, caller, to }, { side, installation = '', reason = '' }) {
      // The form has accepted only its own two sides.
      const input = { side: side === 'collect' ? 'collect' : 'disburse', installation, reason } as const
      const { id } = await askInstallation(gateway, caller, input)
      return doneTo(to(`/approvals/${id}`), APPROVALS.forms.asked)
    },
    again: showInstallations,
  }),
]
