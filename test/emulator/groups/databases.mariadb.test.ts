import { extensionReplays } from '../database-samples.ts';

extensionReplays('mariadb', 'ECMn29XqnQ6UuF5sqGk2t', 'm');
