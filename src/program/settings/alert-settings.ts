import { address, addresses, mailFrom, mailUrl, setting, wholeNumber } from './setting-readers.ts'

/** How alerts and mails reach people. */
export const ALERT_SETTINGS = {
  alertWebhook: setting(
    'ALERT_WEBHOOK',
    '',
    'an address of yours that gets every alert as JSON with a line of text; production wants one, confirmed with "alerts test"',
    address,
  ),
  alertMail: setting(
    'ALERT_MAIL',
    '',
    'addresses with commas between that get every alert by mail, beside ALERT_WEBHOOK; empty means every operator of the role admin, where MAIL_URL is set',
    addresses,
  ),
  workWaitsHours: setting(
    'WORK_WAITS_HOURS',
    '12',
    'after so many hours work that waits for an operator of yours (approvals, withdrawals, verifications, numbers, exceptions, cases) is told as an alert',
    wholeNumber(1, 720),
  ),
  heartbeatUrl: setting(
    'HEARTBEAT_URL',
    '',
    'an address of a watchdog outside, called every minute by each worker that reaches its database; when the calls stop, it tells you',
    address,
  ),
  mailUrl: setting(
    'MAIL_URL',
    '',
    'the mail server, `smtps://user:password@host:465` or `smtp://...`; empty writes mails as files into DATA_DIR/mail',
    mailUrl,
  ),
  mailFrom: setting(
    'MAIL_FROM',
    'Gateway <gateway@localhost>',
    'the sender of mails: an address, or a name and an address in angle brackets; a bare address is shown with the name Gateway',
    mailFrom,
  ),
}
