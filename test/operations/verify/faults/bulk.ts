import { BATCH, type Fault } from '../names.ts'
import { batches, change, each, plant, remove } from '../planting.ts'

const { first, again, waiting } = BATCH
const itemOf = (batch: string, index: number) => `batch_id = '${batch}' and item_index = ${index}`
const payoutOf = (batch: string, index: number) => `payouts where ${itemOf(batch, index)}`
const setItem = (change: string, batch = first, index = 1) =>
  `update bulk_items set ${change} where ${itemOf(batch, index)}`
const setPayout = (change: string) => `update payouts set ${change} where ${itemOf(first, 1)}`

const COUNTS: readonly Fault[] = [
  ...plant('B1', [
    ...each(['done', 'accepted', 'total'], (count) => [
      first,
      `a call that counts another ${count}`,
      change(batches(first), `${count} = ${count} - 1`),
    ]),
    [first, 'a result left out', `${setItem('item_index = 5', first, 1)}`],
    [first, 'a result before the first', setItem('item_index = -1', first, 0)],
    [first, 'an item without a result', `delete from bulk_items where ${itemOf(first, 2)}`],
    [
      waiting,
      'a result before its turn',
      `insert into bulk_items (merchant_id, batch_id, item_index, reference, error, code) values (3, '${waiting}', 0, 'rent-9', 'x', 'x')`,
    ],
    [again, 'results of a call that is not there', remove(batches(again))],
    [first, 'a finished call that is still being worked on', change(batches(first), 'lease_until = created_at')],
    [waiting, 'an unfinished call that nobody will take up', change(batches(waiting), 'lease_until = null')],
    [first, 'a call that has lost an item', change(batches(first), 'items = items - 4')],
  ]),
]

const ITEMS: readonly Fault[] = [
  ...plant('B2', [
    [`${first} item 1`, 'a result for another reference', setItem(`reference = 'rent-3'`)],
    [`${first} item 1`, 'an accepted item without its payout', `delete from ${payoutOf(first, 1)}`],
    [`${first} item 1`, 'an item paid in the other mode', setPayout(`mode = 'live'`)],
    [`${first} item 1`, 'another amount than was asked for', setPayout('amount = amount + 1')],
    [`${first} item 1`, 'another recipient than was asked for', setPayout(`recipient_phone = '256700000666'`)],
    [`${first} item 1`, 'another reference than was asked for', setPayout(`reference = 'rent-3'`)],
    [`${first} item 1`, 'an item paid by a payout of another kind', setPayout(`kind = 'payout'`)],
    [`${first} item 1`, 'a reference that is not spent', `delete from bulk_references where reference = 'rent-2'`],
    [
      `${first} item 1`,
      'a reference that names another payout',
      `update bulk_references set payout_id = 'pout_other' where reference = 'rent-2'`,
    ],
    [`${first} item 1`, 'a payout of another item', setPayout('item_index = 4')],
    [`${first} item 1`, 'a payout of another call', setPayout(`batch_id = '${again}'`)],
    [
      `${first} item 1`,
      'a new payout told as an old one',
      setItem('replayed = true, first_accepted_at = (select created_at from payouts p where p.id = payout_id)'),
    ],
    [`${first} item 2`, 'a refusal of another reference', setItem(`reference = 'rent-3'`, first, 2)],
    [
      `${again} item 0`,
      'an old payout told as a new one',
      setItem('replayed = false, first_accepted_at = null', again, 0),
    ],
    [
      `${again} item 0`,
      'an old payout told with another time',
      setItem(`first_accepted_at = first_accepted_at - interval '1 ms'`, again, 0),
    ],
  ]),
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
  ...plant('B3', [
    ...each(['mode', 'reference', 'payout_id'], (column) => [
      column === 'payout_id' ? 'other' : 'pout_spent',
      `a spent reference with another ${column}`,
      `${setPayout(`id = 'pout_spent'`)}; ${setItem(`payout_id = 'pout_spent'`)};
      update bulk_references set payout_id = 'pout_spent' where reference = 'rent-2';
      update bulk_references set ${column} = '${column === 'mode' ? 'live' : 'other'}' where reference = 'rent-2'`,
    ]),
  ]),
]
