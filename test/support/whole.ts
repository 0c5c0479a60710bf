/** Whether everything is tried that is: what takes minutes more, and every variant. It is, where CI is set. */
export const isWhole = (process.env['CI'] ?? '') !== '' || process.env['TRUEUP_TESTS'] === 'all';
