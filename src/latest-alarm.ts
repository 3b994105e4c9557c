/** The platform takes no alarm that is much later. One that comes early finds nothing due, and is set again. */
export const LATEST_ALARM = Date.UTC(2150, 0, 1);
