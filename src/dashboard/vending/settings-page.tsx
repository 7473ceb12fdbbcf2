import { setMerchant } from '../../merchants/set-merchant.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Section, Status } from '../../pages/parts.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { makeDispenseSecret } from '../../vending/callbacks/dispense-secret.ts'
import { readVending, setVending } from '../../vending/suppliers/vending-settings.ts'
import { secretPage } from '../developers/secret-page.tsx'
import { VENDING } from '../texts/vending.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { VendingTabs } from './vending-tabs.tsx'

const { settings: words } = VENDING
const JAMS = ['off', 'test', 'live', 'both'] as const

const SWITCH: FormSpec = {
  path: '/vending/settings/switch',
  action: 'merchant.vending',
  fields: [{ name: 'to', label: words.switch.title, kind: 'hidden' }],
  submit: words.switch.turnOn,
}
const TURN_OFF: FormSpec = { ...SWITCH, submit: words.switch.turnOff, danger: true }
const SUPPLIER: FormSpec = {
  path: '/vending/settings/supplier',
  action: 'vending.set',
  fields: [
    { name: 'base_url', label: words.supplier.baseUrl, kind: 'url', most: 2000, refused: /address|base_url/ },
    { name: 'shbh', label: words.supplier.shbh, most: 64 },
    {
      name: 'key',
      label: words.supplier.key,
      kind: 'password',
      autocomplete: 'off',
      most: 500,
      hint: words.supplier.never,
    },
    {
      name: 'secret',
      label: words.supplier.secret,
      kind: 'password',
      autocomplete: 'off',
      most: 500,
      hint: words.supplier.never,
    },
  ],
  submit: words.supplier.submit,
}
const PROFILE: FormSpec = {
  path: '/vending/settings/profile',
  action: 'vending.set',
  fields: [
    {
      name: 'profile',
      label: words.profile.profile,
      kind: 'radio',
      choices: [
        { value: 'default', label: words.profile.strict },
        { value: 'optimistic', label: words.profile.optimistic },
      ],
    },
    { name: 'accept', label: words.profile.accept, kind: 'check', hint: words.profile.acceptHint },
  ],
  submit: words.profile.submit,
}
const JAM: FormSpec = {
  path: '/vending/settings/jams',
  action: 'merchant.jams',
  fields: [
    {
      name: 'jams',
      label: words.jams.label,
      kind: 'select',
      choices: JAMS.map((value) => ({ value, label: words.jams.choices[value] })),
    },
  ],
  submit: words.jams.submit,
}
const SECRET: FormSpec = {
  path: '/vending/settings/secret',
  action: 'vending.secret',
  fields: [],
  submit: words.secret.submit,
  once: true,
}

async function showSettings(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { app, merchant } = visit
  const vending = await readVending(app, merchant.id)
  const isOn = merchant.vendingEnabled
  const formProps = { visit, state }
  return shownPage(
    VENDING.title,
    <>
      <h1>{VENDING.title}</h1>
      <VendingTabs visit={visit} at="/vending/settings" />
      <Section
        title={words.switch.title}
        aside={<Status word={isOn ? words.switch.on : words.switch.off} tone={isOn ? 'good' : 'quiet'} />}
      >
        <FormBox of={isOn ? TURN_OFF : SWITCH} {...formProps} values={{ to: isOn ? 'off' : 'on' }} />
      </Section>
      <Section title={words.supplier.title}>
        <p>
          {vending.baseUrl === null
            ? words.supplier.none
            : words.supplier.set(vending.baseUrl, vending.shbh ?? '')}
        </p>
        <FormBox
          of={SUPPLIER}
          {...formProps}
          values={{ base_url: vending.baseUrl ?? '', shbh: vending.shbh ?? '' }}
        />
      </Section>
      <Section title={words.profile.title}>
        <FormBox
          of={PROFILE}
          {...formProps}
          values={{ profile: vending.profile, accept: vending.acceptApiSecret ? 'yes' : '' }}
        />
      </Section>
      <Section title={words.jams.title}>
        <FormBox of={JAM} {...formProps} values={{ jams: merchant.autoRefundOnJam }} />
      </Section>
      <Section title={words.secret.title}>
        <FormBox of={SECRET} {...formProps}>
          <p class="hint">{words.secret.says}</p>
        </FormBox>
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

const back = (visit: DashboardVisit, message: string) => doneTo(visit.to('/vending/settings'), message)

/** The settings of vending: its switch, supplier, profile, refunds of jams, and the dispense secret. */
export const VENDING_SETTINGS_ROUTES: readonly DashboardRoute[] = [
  page('/vending/settings', (visit) => showSettings(visit)),
  form(SWITCH, {
    async submit(visit, { to }) {
      const { app, caller, merchant } = visit
      await setMerchant(app, caller, { merchant, change: { vendingEnabled: to === 'on' } })
      return back(visit, to === 'on' ? words.switch.isOn : words.switch.isOff)
    },
    again: showSettings,
  }),
  form(SUPPLIER, {
    async submit(visit, { base_url: baseUrl = '', shbh = '', key = '', secret = '' }) {
      const { app, caller, merchant } = visit
      await setVending(app, caller, { merchant, change: { supplier: { baseUrl, shbh, key, secret } } })
      return back(visit, words.supplier.done)
    },
    again: showSettings,
  }),
  form(PROFILE, {
    async submit(visit, { profile, accept }) {
      const { app, caller, merchant } = visit
      const change = {
        profile: profile === 'optimistic' ? ('optimistic' as const) : ('default' as const),
        acceptApiSecret: accept === 'yes',
      }
      await setVending(app, caller, { merchant, change })
      return back(visit, words.profile.done)
    },
    again: showSettings,
  }),
  form(JAM, {
    async submit(visit, { jams }) {
      const { app, caller, merchant } = visit
      const autoRefundOnJam = JAMS.find((jam) => jam === jams) ?? 'off'
      await setMerchant(app, caller, { merchant, change: { autoRefundOnJam } })
      return back(visit, words.jams.done)
    },
    again: showSettings,
  }),
  form(SECRET, {
    async submit(visit) {
      const { secret } = await makeDispenseSecret(visit.app, visit.caller, visit.once?.key)
      const to = { href: visit.to('/vending/settings'), name: words.secret.back }
      return secretPage(
        { title: words.secret.title, label: words.secret.label, secret, back: to },
        words.secret.shown,
      )
    },
    again: showSettings,
  }),
]
