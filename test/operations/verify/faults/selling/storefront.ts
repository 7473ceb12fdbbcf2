import type { Fault } from '../../names.ts'

const ITEM = 'itm_onexx0000000000000001'
const LINK = 'lnk_onexx0000000000000001'

// Ids are random. These rows get ids that the test knows.
const NAMED = `
  update payment_links set id = '${LINK}' where id = (select link_id from storefront_items where name = 'Mangoes');
  update storefront_items set id = '${ITEM}', link_id = '${LINK}' where name = 'Mangoes';`

export const STOREFRONT_FAULTS: readonly Fault[] = [
  ...[
    `update payment_links set kind = 'order' where id = '${LINK}'`,
    `update payment_links set allow_multiple_uses = false where id = '${LINK}'`,
    `update payment_links set merchant_id = 2 where id = '${LINK}'`,
    `update storefront_items set merchant_id = 2 where id = '${ITEM}'`,
    `delete from payment_links where id = '${LINK}'`,
  ].map((change) => ({
    id: 'SF1',
    fault: `an item without its right link: ${change}`,
    sql: `${NAMED} ${change}`,
    names: ITEM,
  })),
  {
    id: 'SF1',
    fault: 'two items behind one link',
    sql: `${NAMED} update storefront_items set link_id = '${LINK}' where name = 'Pineapples'`,
    names: LINK,
  },
]
