/** Settings, Notifications: where an owner names who hears of payments by mail. */
export const NOTICES_PATH = '/settings/notifications'
