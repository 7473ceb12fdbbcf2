import { BATCH, type Fault, of } from '../names.ts'

const { first, again, waiting } = BATCH
const itemOf = (batch: string, index: number) => `batch_id = '${batch}' and item_index = ${index}`
const payoutOf = (batch: string, index: number) => `payouts where ${itemOf(batch, index)}`
const setItem = (change: string, batch = first, index = 1) =>
  `update bulk_items set ${change} where ${itemOf(batch, index)}`
const setPayout = (change: string) => `update payouts set ${change} where ${itemOf(first, 1)}`

const COUNTS: readonly Fault[] = [
  ...['done', 'accepted', 'total'].map((count) => ({
    id: 'B1',
    fault: `a call that counts another ${count}`,
    sql: `update bulk_batches set ${count} = ${count} - 1 where ${of(first)}`,
    names: first,
  })),
  {
    id: 'B1',
    fault: 'a result left out',
    sql: `${setItem('item_index = 5', first, 1)}`,
    names: first,
  },
  { id: 'B1', fault: 'a result before the first', sql: setItem('item_index = -1', first, 0), names: first },
  {
    id: 'B1',
    fault: 'an item without a result',
    sql: `delete from bulk_items where ${itemOf(first, 2)}`,
    names: first,
  },
  {
    id: 'B1',
    fault: 'a result before its turn',
    sql: `insert into bulk_items (merchant_id, batch_id, item_index, reference, error, code) values (3, '${waiting}', 0, 'rent-9', 'x', 'x')`,
    names: waiting,
  },
  {
    id: 'B1',
    fault: 'results of a call that is not there',
    sql: `delete from bulk_batches where ${of(again)}`,
    names: again,
  },
  {
    id: 'B1',
    fault: 'a finished call that is still being worked on',
    sql: `update bulk_batches set lease_until = created_at where ${of(first)}`,
    names: first,
  },
  {
    id: 'B1',
    fault: 'an unfinished call that nobody will take up',
    sql: `update bulk_batches set lease_until = null where ${of(waiting)}`,
    names: waiting,
  },
  {
    id: 'B1',
    fault: 'a call that has lost an item',
    sql: `update bulk_batches set items = items - 4 where ${of(first)}`,
    names: first,
  },
]

const ITEMS: readonly Fault[] = [
  ...[
    ['a result for another reference', setItem(`reference = 'rent-3'`)],
    ['an accepted item without its payout', `delete from ${payoutOf(first, 1)}`],
    ['an item paid in the other mode', setPayout(`mode = 'live'`)],
    ['another amount than was asked for', setPayout('amount = amount + 1')],
    ['another recipient than was asked for', setPayout(`recipient_phone = '256700000666'`)],
    ['another reference than was asked for', setPayout(`reference = 'rent-3'`)],
    ['an item paid by a payout of another kind', setPayout(`kind = 'payout'`)],
    ['a reference that is not spent', `delete from bulk_references where reference = 'rent-2'`],
    [
      'a reference that names another payout',
      `update bulk_references set payout_id = 'pout_other' where reference = 'rent-2'`,
    ],
    ['a payout of another item', setPayout('item_index = 4')],
    ['a payout of another call', setPayout(`batch_id = '${again}'`)],
    [
      'a new payout told as an old one',
      setItem(
        'replayed = true, first_accepted_at = (select created_at from payouts p where p.id = payout_id)',
      ),
    ],
  ].map(([fault, sql]) => ({ id: 'B2', fault: fault ?? '', sql: sql ?? '', names: `${first} item 1` })),
  {
    id: 'B2',
    fault: 'a refusal of another reference',
    sql: setItem(`reference = 'rent-3'`, first, 2),
    names: `${first} item 2`,
  },
  {
    id: 'B2',
    fault: 'an old payout told as a new one',
    sql: setItem('replayed = false, first_accepted_at = null', again, 0),
    names: `${again} item 0`,
  },
  {
    id: 'B2',
    fault: 'an old payout told with another time',
    sql: setItem(`first_accepted_at = first_accepted_at - interval '1 ms'`, again, 0),
    names: `${again} item 0`,
  },
]

export const BULK_FAULTS: readonly Fault[] = [
  ...COUNTS,
  ...ITEMS,
  ...[
    ['a payout that its item does not name', setItem('payout_id = null')],
    ['a payout that two items say they made', setItem('replayed = true')],
    ['a payout of a refused item', setPayout('item_index = 2')],
  ].map(([fault, sql]) => ({
    id: 'B3',
    fault: fault ?? '',
    sql: `${setPayout(`id = 'pout_item'`)}; ${setItem(`payout_id = 'pout_item'`)}; ${sql}`,
    names: 'pout_item',
  })),
  ...['mode', 'reference', 'payout_id'].map((column) => ({
    id: 'B3',
    fault: `a spent reference with another ${column}`,
    sql: `${setPayout(`id = 'pout_spent'`)}; ${setItem(`payout_id = 'pout_spent'`)};
      update bulk_references set payout_id = 'pout_spent' where reference = 'rent-2';
      update bulk_references set ${column} = '${column === 'mode' ? 'live' : 'other'}' where reference = 'rent-2'`,
    names: column === 'payout_id' ? 'other' : 'pout_spent',
  })),
]
