import type { Fault } from '../../names.ts'

const LINK = 'lnk_onexx0000000000000002'
const SECOND = `merchant_id = 1 and mode = 'live' and number = 2`
const FIRST = `merchant_id = 1 and mode = 'live' and number = 1`

// Ids are random. The second live invoice and its link get one that the test knows.
const NAMED = `
  update payment_links set id = '${LINK}' where id = (select id from invoices where ${SECOND});
  update invoice_mails set invoice_id = '${LINK}' where invoice_id = (select id from invoices where ${SECOND});
  update invoices set id = '${LINK}' where ${SECOND};`

const named = (id: string, names: string, changes: readonly string[]): Fault[] =>
  changes.map((change) => ({ id, fault: `invoices: ${change}`, sql: `${NAMED} ${change}`, names }))

export const INVOICE_FAULTS: readonly Fault[] = [
  ...named('IN1', LINK, [
    `update payment_links set mode = 'test' where id = '${LINK}'`,
    `update payment_links set kind = 'order' where id = '${LINK}'`,
    `update payment_links set amount = 44000 where id = '${LINK}'`,
    `update payment_links set reference = 'INV-0003' where id = '${LINK}'`,
    `update payment_links set allow_multiple_uses = true where id = '${LINK}'`,
    `delete from payment_links where id = '${LINK}'`,
    `update invoices set lines = '[{"description": "Cement", "quantity": 1, "price": 40000}]' where id = '${LINK}'`,
    `update invoices set lines = '[{"description": "Cement"}]' where id = '${LINK}'`,
  ]),
  ...named('IN2', 'invoices of merchant 1 live', [
    `update invoice_numbers set last = 3 where merchant_id = 1 and mode = 'live'`,
    `delete from invoice_numbers where merchant_id = 1 and mode = 'live'`,
    `delete from invoices where ${FIRST}`,
    `update invoices set number = 3 where ${SECOND}`,
  ]),
  ...named('IN3', `${LINK} before`, [
    `update invoices set mode = 'test', number = 9 where id = '${LINK}'`,
    `delete from invoices where id = '${LINK}'`,
    `update invoice_mails set outcome = 'written', ended_at = due_at where invoice_id = '${LINK}' and kind = 'before'`,
  ]),
]
