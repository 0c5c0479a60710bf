/** A source of all files of a repository, for the platform `main`. */
export const shopSource = {
  id: 'shop',
  url: 'https://git.example/shop.git',
  ref: 'refs/heads/main',
  platforms: [{ platform: 'main', paths: '*' }],
  policy: 'automatic' as const,
  pollSeconds: 60,
  lookSeconds: 3_600,
  forge: 'github' as const,
  forgeTokenFile: '/t',
};
