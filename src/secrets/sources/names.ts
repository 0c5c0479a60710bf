/** The name of a secret: letters, digits and `_`. */
export const nameForm = /^[A-Za-z_][A-Za-z0-9_]*$/;
