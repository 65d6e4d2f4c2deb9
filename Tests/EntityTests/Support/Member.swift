import GoldenModels

typealias Member = Club.Member
typealias MemberChangeRequest = Club.MemberChangeRequest
