import { extensionReplays } from '../database-samples.ts';

extensionReplays('redis', 'E7W4OdKWDelCBIWEMlDWx', 'r');
