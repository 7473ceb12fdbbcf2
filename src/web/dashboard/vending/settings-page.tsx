import { setMerchant } from '../../../merchants/account/set-merchant.ts'
import { makeDispenseSecret } from '../../../selling/vending/callbacks/dispense-secret.ts'
import { readVendingSettings, setVending } from '../../../selling/vending/suppliers/vending-settings.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Section, Status } from '../../parts/parts.tsx'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { renderSecretPage } from '../developers/secret-page.tsx'
import { VENDING } from '../texts/vending.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { VendingTabs } from './vending-tabs.tsx'

const { settings: words } = VENDING
const JAM_REFUND_MODES = ['off', 'test', 'live', 'both'] as const

const TURN_ON_VENDING: FormSpec = {
  path: '/vending/settings/switch',
  action: 'merchant.vending',
  fields: [{ name: 'to', label: words.switch.title, kind: 'hidden' }],
  submit: words.switch.turnOn,
}
const TURN_OFF_VENDING: FormSpec = { ...TURN_ON_VENDING, submit: words.switch.turnOff, danger: true }
const SET_SUPPLIER: FormSpec = {
  path: '/vending/settings/supplier',
  action: 'vending.set',
  fields: [
    {
      name: 'base_url',
      label: words.supplier.baseUrl,
      kind: 'url',
      maxLength: 2000,
    },
    { name: 'shbh', label: words.supplier.shbh, maxLength: 64 },
    {
      name: 'key',
      label: words.supplier.key,
      kind: 'password',
      autocomplete: 'off',
      maxLength: 500,
      hint: words.supplier.never,
    },
    {
      name: 'secret',
      label: words.supplier.secret,
      kind: 'password',
      autocomplete: 'off',
      maxLength: 500,
      hint: words.supplier.never,
    },
  ],
  submit: words.supplier.submit,
}
const SET_PROFILE: FormSpec = {
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
const SET_JAM_REFUNDS: FormSpec = {
  path: '/vending/settings/jams',
  action: 'merchant.jams',
  fields: [
    {
      name: 'jams',
      label: words.jams.label,
      kind: 'select',
      choices: JAM_REFUND_MODES.map((value) => ({ value, label: words.jams.choices[value] })),
    },
  ],
  submit: words.jams.submit,
}
const MAKE_DISPENSE_SECRET: FormSpec = {
  path: '/vending/settings/secret',
  action: 'vending.secret',
  fields: [],
  submit: words.secret.submit,
  once: true,
}

async function showVendingSettings(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, merchant } = visit
  const vending = await readVendingSettings(app, merchant.id)
  const isOn = merchant.vendingEnabled
  const formProps = { visit, state }
  return pageReply(
    VENDING.title,
    <>
      <h1>{VENDING.title}</h1>
      <VendingTabs visit={visit} at="/vending/settings" />
      <Section
        title={words.switch.title}
        aside={<Status word={isOn ? words.switch.on : words.switch.off} tone={isOn ? 'good' : 'quiet'} />}
      >
        <FormBox of={isOn ? TURN_OFF_VENDING : TURN_ON_VENDING} {...formProps} values={{ to: isOn ? 'off' : 'on' }} />
      </Section>
      <Section title={words.supplier.title}>
        <p>
          {vending.baseUrl === null ? words.supplier.none : words.supplier.set(vending.baseUrl, vending.shbh ?? '')}
        </p>
        <FormBox
          of={SET_SUPPLIER}
          {...formProps}
          values={{ base_url: vending.baseUrl ?? '', shbh: vending.shbh ?? '' }}
        />
      </Section>
      <Section title={words.profile.title}>
        <FormBox
          of={SET_PROFILE}
          {...formProps}
          values={{ profile: vending.profile, accept: vending.acceptApiSecret ? 'yes' : '' }}
        />
      </Section>
      <Section title={words.jams.title}>
        <FormBox of={SET_JAM_REFUNDS} {...formProps} values={{ jams: merchant.autoRefundOnJam }} />
      </Section>
      <Section title={words.secret.title}>
        <FormBox of={MAKE_DISPENSE_SECRET} {...formProps}>
          <p class="hint">{words.secret.says}</p>
        </FormBox>
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

const returnToSettings = (visit: DashboardVisit, message: string) =>
  redirectDone(visit.to('/vending/settings'), message)

/** The settings of vending: its switch, supplier, profile, refunds of jams, and the dispense secret. */
export const VENDING_SETTINGS_ROUTES: readonly DashboardRoute[] = [
  page('/vending/settings', (visit) => showVendingSettings(visit)),
  form(TURN_ON_VENDING, {
    async submit(visit, { to }) {
      const { app, caller, merchant } = visit
      await setMerchant(app, caller, { merchant, change: { vendingEnabled: to === 'on' } })
      return returnToSettings(visit, to === 'on' ? words.switch.isOn : words.switch.isOff)
    },
    showRefused: showVendingSettings,
  }),
  form(SET_SUPPLIER, {
    async submit(visit, { base_url: baseUrl = '', shbh = '', key = '', secret = '' }) {
      const { app, caller, merchant } = visit
      await setVending(app, caller, { merchant, change: { supplier: { baseUrl, shbh, key, secret } } })
      return returnToSettings(visit, words.supplier.done)
    },
    showRefused: showVendingSettings,
  }),
  form(SET_PROFILE, {
    async submit(visit, { profile, accept }) {
      const { app, caller, merchant } = visit
      const change = {
        profile: profile === 'optimistic' ? ('optimistic' as const) : ('default' as const),
        acceptApiSecret: accept === 'yes',
      }
      await setVending(app, caller, { merchant, change })
      return returnToSettings(visit, words.profile.done)
    },
    showRefused: showVendingSettings,
  }),
  form(SET_JAM_REFUNDS, {
    async submit(visit, { jams }) {
      const { app, caller, merchant } = visit
      const autoRefundOnJam = JAM_REFUND_MODES.find((jam) => jam === jams) ?? 'off'
      await setMerchant(app, caller, { merchant, change: { autoRefundOnJam } })
      return returnToSettings(visit, words.jams.done)
    },
    showRefused: showVendingSettings,
  }),
  form(MAKE_DISPENSE_SECRET, {
    async submit(visit) {
      const { secret } = await makeDispenseSecret(visit.app, visit.caller, visit.once?.key)
      const to = { href: visit.to('/vending/settings'), name: words.secret.back }
      return renderSecretPage(
        { title: words.secret.title, label: words.secret.label, secret, back: to },
        words.secret.shown,
      )
    },
    showRefused: showVendingSettings,
  }),
]
