import { readListWindow } from '../../http/lists.ts'
import { FormBox } from '../../pages/form.tsx'
import type { Field, FormSpec, FormState } from '../../pages/form-spec.ts'
import { Copy, Empty, Facts, Money, Note, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, cursorsOf, Pager, pageQuery, Table } from '../../pages/table.tsx'
import { notFound } from '../../platform/refusal.ts'
import { findItem, pageOfOwnItems } from '../../storefront/find-items.ts'
import { picturePath, type ShopItem } from '../../storefront/item.ts'
import { MOST_PICTURE_BYTES } from '../../storefront/picture.ts'
import { STOREFRONT } from '../texts/storefront.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns, item: words, facts } = STOREFRONT

const FIELDS: readonly Field[] = [
  { name: 'name', label: words.name, most: 200 },
  { name: 'amount', label: words.amount, kind: 'amount', refused: /amount|fee/ },
  { name: 'description', label: words.description, kind: 'lines', most: 1000, rows: 3, optional: true },
  {
    name: 'picture',
    label: words.picture,
    kind: 'file',
    hint: words.pictureHint,
    accept: 'image/png,image/jpeg,image/webp',
    optional: true,
    refused: /picture/,
  },
]
export const ADD: FormSpec = {
  path: '/storefront/add',
  action: 'item.add',
  fields: FIELDS,
  submit: STOREFRONT.add.submit,
  once: true,
  mostFileBytes: MOST_PICTURE_BYTES,
}
export const EDIT: FormSpec = {
  path: '/storefront/:id/edit',
  action: 'item.edit',
  fields: [...FIELDS, { name: 'drop', label: words.drop, kind: 'check' }],
  submit: STOREFRONT.edit.submit,
  mostFileBytes: MOST_PICTURE_BYTES,
}
export const REMOVE: FormSpec = {
  path: '/storefront/:id/remove',
  action: 'item.remove',
  fields: [],
  submit: STOREFRONT.remove.submit,
  danger: true,
}

const switching = (to: 'hide' | 'show'): FormSpec => ({
  path: `/storefront/:id/${to}`,
  action: 'link.switch',
  fields: [],
  submit: STOREFRONT[to],
  plain: true,
})
export const HIDE = switching('hide')
export const SHOW = switching('show')

const StateOf = ({ item }: { item: ShopItem }) => {
  const word = item.removed ? STOREFRONT.removed : item.hidden ? STOREFRONT.hidden : STOREFRONT.shown
  return <Status word={word} tone={word === STOREFRONT.shown ? 'good' : 'quiet'} />
}

const columnsOf = ({ merchant }: DashboardVisit): readonly Column<ShopItem>[] => [
  { title: columns.name, cell: (item) => <Named item={item} handle={merchant.handle} /> },
  { title: columns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: columns.state, cell: (item) => <StateOf item={item} /> },
  { title: columns.description, cell: ({ description }) => <Said text={description} /> },
  { title: columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** The name of an item with a small picture, for lists. */
function Named({ item, handle }: { item: ShopItem; handle: string }) {
  const picture = picturePath(item, handle)
  // A hidden item is on no public page, and neither is its picture.
  return (
    <span class="named">
      {picture !== null && !item.hidden && <img src={picture} alt="" width="40" height="40" loading="lazy" />}
      <Said text={item.name} />
    </span>
  )
}

/** Lists the items of the public page, with the form that adds one. */
export async function showItems(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { app, merchant, caller, query } = visit
  if (visit.mode === 'test')
    return shownPage(
      STOREFRONT.title,
      <>
        <h1>{STOREFRONT.title}</h1>
        <Note>{STOREFRONT.onlyLive}</Note>
      </>,
      { status: state?.status ?? 200 },
    )
  const window = { ...readListWindow(pageQuery(query)), endingBefore: query.before ?? null }
  const page = await pageOfOwnItems(app, caller, window)
  const items = page.data
  const path = `/pay/@${merchant.handle}`
  const address = `${app.baseUrl}/pay/@${merchant.handle}`
  return shownPage(
    STOREFRONT.title,
    <>
      <h1>{STOREFRONT.title}</h1>
      <p>{STOREFRONT.lead}</p>
      {merchant.kycStatus !== 'verified' && <Note tone="warn">{STOREFRONT.notYet}</Note>}
      <Section title={STOREFRONT.address}>
        <Copy label={STOREFRONT.address} text={address} />
        <p>
          <a href={address} target="_blank" rel="noreferrer">
            {STOREFRONT.open}
          </a>
        </p>
        <img class="qr" src={`${path}/qr.svg`} alt={STOREFRONT.qrAlt} width="160" height="160" />
        <p>
          <a href={`${path}/qr.png`} download={`${merchant.handle}.png`}>
            {STOREFRONT.saveQr}
          </a>
        </p>
      </Section>
      {items.length === 0 ? (
        <Empty title={STOREFRONT.empty.title}>
          <p>{STOREFRONT.empty.says}</p>
        </Empty>
      ) : (
        <Table
          caption={STOREFRONT.title}
          rows={items}
          columns={columnsOf(visit)}
          href={({ id }) => visit.to(`/storefront/${id}`)}
        />
      )}
      <Pager cursors={cursorsOf(page)} query={query} here={visit.to('/storefront')} />
      <Section title={STOREFRONT.add.title} id="add">
        <FormBox of={ADD} visit={visit} state={state} />
      </Section>
    </>,
    { status: state?.status ?? 200, scripts: ['photos.js'] },
  )
}

/** Gets the item that the address names, in live mode only. Throws 404. */
export async function itemOf({ app, merchant, mode, params }: DashboardVisit): Promise<ShopItem> {
  const item = mode === 'live' ? await findItem(app, { merchantId: merchant.id, id: params.id ?? '' }) : null
  if (item === null) throw notFound('item')
  return item
}

/** Shows one item with its picture, and the forms that change, hide and remove it. */
export async function showItem(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const item = await itemOf(visit)
  const picture = picturePath(item, visit.merchant.handle)
  const values = { name: item.name, amount: String(item.amount), description: item.description ?? '' }
  return shownPage(
    item.name,
    <>
      <div class="top">
        <h1>
          <Said text={item.name} />
        </h1>
        <StateOf item={item} />
      </div>
      <div class="split">
        <Section title={STOREFRONT.edit.title}>
          {item.removed ? null : (
            <FormBox of={EDIT} visit={visit} state={state} params={{ id: item.id }} values={values}>
              <p class="hint">{STOREFRONT.editSays}</p>
              {picture !== null && <p class="hint">{words.keep}</p>}
            </FormBox>
          )}
        </Section>
        <Section title={STOREFRONT.about}>
          {picture !== null && !item.hidden && !item.removed && (
            <img src={picture} alt={words.pictureAlt} width="160" height="160" />
          )}
          <Facts
            facts={[
              [facts.amount, <Money amount={item.amount} />],
              [facts.link, <a href={visit.to(`/links/${item.linkId}`)}>{item.linkId}</a>],
              [facts.created, <Time at={item.createdAt} />],
            ]}
          />
          {!item.removed && (
            <FormBox of={item.hidden ? SHOW : HIDE} visit={visit} state={state} params={{ id: item.id }}>
              <p class="hint">{item.hidden ? STOREFRONT.showSays : STOREFRONT.hideSays}</p>
            </FormBox>
          )}
          {!item.removed && (
            <FormBox of={REMOVE} visit={visit} state={state} params={{ id: item.id }}>
              <p class="hint">{STOREFRONT.remove.says}</p>
            </FormBox>
          )}
        </Section>
      </div>
    </>,
    { status: state?.status ?? 200, scripts: ['photos.js'] },
  )
}
